// Package process runs a program that speaks the protocol as a child process and manages a session with
// it.
//
// [Start] starts the process as described by a launch, [Process.Next] and [Process.All] return the events
// of the session, and [Process.Close] ends the process. [Ask] sends a request and returns its answer. The
// functions in the options of the launch, and those given with [WithAnswer], answer requests of the process.
//
// A program that does not import this package does not link os/exec.
package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	protocol "example.com/polywireruntime"
)

const (
	// maxTail is the number of bytes of the standard error that are kept.
	maxTail = 64 << 10
	// maxWaiting is the number of events and function calls that may be in progress before reading
	// pauses, unless a request is waiting for its answer.
	maxWaiting = 256
	// defaultBacklog is the limit while a request is waiting for its answer.
	defaultBacklog = 4096
	// maxHeld is the limit, in either case, on the size of their lines in bytes.
	maxHeld = 64 << 20
	// maxUnread is the number of bytes without a waiting caller that may be queued for a process that
	// does not read.
	maxUnread = 1 << 20
	// defaultPatience is how long a process may take to end by itself, and again after it is terminated.
	defaultPatience = 5 * time.Second
	// ending is how long a process may take to end after it has closed its output or its input, so that
	// whatever then fails says why. After its end, its output ends too if nothing comes for as long, as
	// child processes may hold it open.
	ending = time.Second
)

// ErrBacklog is the Err of an [Error] if too many events arrive before an answer.
var ErrBacklog = errors.New("too many events wait to be taken")

// Error reports that the process has ended or is being ended, or that too many events are waiting; use
// errors.As.
type Error struct {
	Message string
	// State describes how the process ended; nil if it has not ended.
	State *os.ProcessState
	// Stderr is the last part of what the process wrote to its standard error.
	Stderr string
	// Err is the cause of the end, such as the cause of a context, or ErrBacklog; nil if the process
	// ended by itself.
	Err error
}

func (e *Error) Error() string { return "process: " + e.Message }

func (e *Error) Unwrap() error { return e.Err }

// ExitCode returns the exit status, or -1 if the process has not ended or was ended by a signal.
func (e *Error) ExitCode() int { return e.State.ExitCode() }

// Option configures how a process is run.
type Option func(*options)

type options struct {
	program  string
	answers  []answerer
	errorsTo io.Writer
	grace    time.Duration
	patience time.Duration
	backlog  int
	pairing  []protocol.SessionOption
	reading  []protocol.Option
}

// answerer returns a call of the function that answers a request; ok is false if the request is of
// another type.
type answerer func(payload any) (call func(context.Context) (any, error), ok bool)

// WithProgram sets the program to run instead of the one in the launch.
func WithProgram(program string) Option { return func(o *options) { o.program = program } }

// WithStderr copies the standard error of the process to a writer. An error of the writer ends the
// events.
func WithStderr(to io.Writer) Option { return func(o *options) { o.errorsTo = to } }

// WithGrace sets how long the process may take to end after its input is closed, and how much longer
// after it is terminated. Each defaults to 5 seconds.
func WithGrace(grace, patience time.Duration) Option {
	return func(o *options) { o.grace, o.patience = grace, patience }
}

// WithBacklog sets how many events may wait while a request is waiting for its answer; the default is
// 4096. If more events arrive before the answer, the request fails with [ErrBacklog], and its answer
// becomes an event.
func WithBacklog(events int) Option { return func(o *options) { o.backlog = events } }

// WithSession passes options to the session.
func WithSession(given ...protocol.SessionOption) Option {
	return func(o *options) { o.pairing = append(o.pairing, given...) }
}

// WithLimit sets the maximum length of a line of the process's output in bytes. The default is 64 MiB.
func WithLimit(bytes int) Option {
	return func(o *options) { o.reading = append(o.reading, protocol.WithLimit(bytes)) }
}

// WithAnswer answers the requests of a type, for which the options have no function, with a function that is
// called in a separate goroutine. If it returns an error, the request is refused, and there is a
// *SessionFailedAnswer. Its context is done when the request is cancelled or the process ends. It must not
// panic. If several functions are given for a type, the first one is called.
func WithAnswer[R any, Q protocol.Control[R]](function func(ctx context.Context, request Q) (R, error)) Option {
	return func(o *options) {
		o.answers = append(o.answers, func(payload any) (func(context.Context) (any, error), bool) {
			request, ok := payload.(Q)
			if place, isPlace := payload.(*Q); isPlace {
				request, ok = *place, true
			}
			return func(ctx context.Context) (any, error) { return function(ctx, request) }, ok
		})
	}
}

// Process is a process that speaks the protocol, together with its session. It is safe for concurrent
// use.
//
// Its output is read while the program takes events or waits for answers. If events are not taken, the
// process has to wait.
type Process struct {
	options
	// launched has the functions in the options.
	launched *protocol.Launched
	session  *protocol.Session
	command  *exec.Cmd
	stdin    *os.File
	stdout   *output
	stderr   *output
	// calls is the context passed to functions.
	calls  context.Context
	cancel context.CancelFunc
	// exited is closed when the process has ended, heard at the end of its standard error, known when its
	// end is reported, and done when all is read and written.
	exited, heard, known, done chan struct{}
	// pipes are the goroutines that write, and read the output.
	pipes sync.WaitGroup

	mutex sync.Mutex
	// changed is closed when any of the fields below changes.
	changed chan struct{}
	events  []item
	// pending maps the id of a request to its answer, for which a caller waits.
	pending map[protocol.ControlID]*pendingAnswer
	started map[string]*pendingAnswer
	// running maps the id of a request to the call of its function; count is the number of calls,
	// including those whose requests were cancelled.
	running map[protocol.ControlID]*call
	count   int
	// held is the size of the lines of the events and calls in progress.
	held int
	// lines are waiting to be written; unread is the size of those without a waiting caller.
	lines     []*line
	unread    int
	tail      []byte
	isCut     bool
	isDeaf    bool
	muted     string // why the output has ended although the process goes on
	isClosing bool
	hasExited bool
	isOver    bool
	// failure is the reason why the events end; nil at the end of the output.
	failure error
	state   *os.ProcessState
}

type (
	// item is an event, or the error of a line.
	item struct {
		event protocol.SessionEvent
		err   error
		size  int
	}
	// pendingAnswer is an answer for which a caller waits.
	pendingAnswer struct {
		answer *protocol.SessionAnswer
		err    error
		isDone bool
	}
	// call is a running call of a function.
	call struct{ cancel context.CancelFunc }
	// line is a line to be written.
	line struct {
		text   []byte
		err    error
		isDone bool
		// isLeft means that no caller waits for the line to be written.
		isLeft bool
	}
)

// --- starting --------------------------------------------------------------------------------------

// Start starts a process with a launch and sends the requests of the launch. peer is this side of the
// connection. When the context is done, the process is terminated, and killed if it does not end. Always
// close the process.
//
// The functions in the options of the launch are called, each in a separate goroutine. The contexts of those
// that have one are done when the request is cancelled or the process ends. Start returns an error if two
// functions answer the same requests, or if the options have a function or an object that nothing uses.
func Start(ctx context.Context, peer protocol.Peer, launch *protocol.Launched, given ...Option) (*Process, error) {
	p := &Process{
		options: options{grace: defaultPatience, patience: defaultPatience, backlog: defaultBacklog},
		exited:  make(chan struct{}),
		heard:   make(chan struct{}),
		known:   make(chan struct{}),
		done:    make(chan struct{}),
		changed: make(chan struct{}),
		pending: map[protocol.ControlID]*pendingAnswer{},
		started: map[string]*pendingAnswer{},
		running: map[protocol.ControlID]*call{},
	}
	for _, option := range given {
		option(&p.options)
	}
	if p.program == "" {
		p.program = launch.Program
	}
	if p.program == "" {
		return nil, errors.New("process: expected a program: neither the launch nor an option names one")
	}
	p.launched = launch
	if err := p.check(launch.Functions); err != nil {
		return nil, err
	}
	p.session = protocol.NewSession(peer, p.pairing...)
	if err := p.prepare(launch.Requests); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := p.begin(launch); err != nil {
		return nil, err
	}
	p.calls, p.cancel = context.WithCancel(ctx)
	p.pipes.Add(2)
	go p.write()
	go read(p, protocol.NewReader(p.stdout, p.reading...))
	go p.readErrors()
	go p.watch(context.AfterFunc(ctx, func() { p.abort(context.Cause(ctx)) }))
	return p, nil
}

// check returns an error for functions in the options that nothing calls, or that conflict.
func (p *Process) check(functions []protocol.LaunchFunction) error {
	for i := range functions {
		own := &functions[i]
		if own.Receives == "stderr" {
			if p.errorsTo != nil {
				return fmt.Errorf("process: both WithStderr and the option %s receive the standard error; give one of them", own.Place)
			}
			p.errorsTo = &receiver{function: own}
			continue
		}
		request := own.NewRequest()
		if request == nil {
			what := "function"
			if own.Live {
				what = "object"
			}
			return fmt.Errorf("process: the %s in the option %s is not used by a process; leave it out", what, own.Place)
		}
		for _, answer := range p.answers {
			if _, ok := answer(request); ok {
				return fmt.Errorf("process: both WithAnswer and the option %s answer %q; give one of them", own.Place, own.Control)
			}
		}
		for j := range functions[:i] {
			other := &functions[j]
			if other.Control == own.Control && (!other.HasID() || !own.HasID() || other.ID == own.ID) {
				return fmt.Errorf("process: the options %s and %s both answer %q; give one of them", other.Place, own.Place, own.Control)
			}
		}
	}
	return nil
}

// receiver calls a function in the options with the text that the process writes.
type receiver struct {
	function *protocol.LaunchFunction
	// rest is the beginning of a character whose end has not arrived.
	rest []byte
}

func (r *receiver) Write(text []byte) (int, error) {
	r.rest = append(r.rest, text...)
	whole := len(r.rest)
	for start := whole - 1; start >= max(0, whole-utf8.UTFMax+1); start-- {
		if utf8.RuneStart(r.rest[start]) {
			if !utf8.FullRune(r.rest[start:]) {
				whole = start
			}
			break
		}
	}
	r.pass(whole)
	return len(text), nil
}

// pass passes on what has arrived up to a number of bytes.
func (r *receiver) pass(count int) {
	if count > 0 {
		r.function.Receive(textOf(r.rest[:count]))
		r.rest = append([]byte(nil), r.rest[count:]...)
	}
}

// prepare encodes the requests of the launch as lines.
func (p *Process) prepare(requests map[string]json.RawMessage) error {
	for _, control := range slices.Sorted(maps.Keys(requests)) {
		payload, err := protocol.UnmarshalControlPayload(requests[control])
		if err != nil {
			return err
		}
		id, text, err := p.session.Request(payload)
		if err != nil {
			return err
		}
		pending := &pendingAnswer{}
		p.pending[id], p.started[control] = pending, pending
		p.put(text)
	}
	return nil
}

// begin starts the program with its own pipes: those of os/exec are closed as soon as the program ends.
func (p *Process) begin(launch *protocol.Launched) (err error) {
	var ends [3]*os.File
	var own [3]*os.File
	defer func() {
		closeAll(ends[:]...)
		if err != nil {
			closeAll(own[:]...)
		}
	}()
	for i := range ends {
		from, to, err := os.Pipe()
		if err != nil {
			return err
		}
		if ends[i], own[i] = to, from; i == 0 {
			ends[i], own[i] = from, to
		}
	}
	script := []string{launch.Script}
	if launch.Script == "" {
		script = nil
	}
	p.command = exec.Command(p.program, slices.Concat(launch.ProgramArguments, script, launch.Arguments)...)
	p.command.Dir, p.command.Env = launch.CWD, launch.Environment.Over(os.Environ())
	p.command.Stdin, p.command.Stdout, p.command.Stderr = ends[0], ends[1], ends[2]
	p.stdin, p.stdout, p.stderr = own[0], &output{File: own[1], exited: p.exited}, &output{File: own[2], exited: p.exited}
	return p.command.Start()
}

func closeAll(files ...*os.File) {
	for _, file := range files {
		if file != nil {
			_ = file.Close()
		}
	}
}

// --- inspecting ------------------------------------------------------------------------------------

// Session returns the session with the process. The Process does not notice changes made directly to the
// session.
func (p *Process) Session() *protocol.Session { return p.session }

// Stderr returns the last part of what the process has written to its standard error.
func (p *Process) Stderr() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.tailText()
}

// State returns how the process ended; nil if it has not ended.
func (p *Process) State() *os.ProcessState {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.state
}

// Next returns the next event, or a *BadLine, after which further events may follow. At the end of the
// output it returns io.EOF. If the context is done first, Next returns the context's error; no event is
// lost.
//
// Answers to Request and Ask are not events, nor are requests that functions answer. If a function fails, the
// event is a *SessionFailedAnswer.
func (p *Process) Next(ctx context.Context) (protocol.SessionEvent, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for len(p.events) == 0 && !p.isOver {
		if err := p.await(ctx); err != nil {
			return nil, err
		}
	}
	if len(p.events) > 0 {
		next := p.events[0]
		p.events[0] = item{}
		p.events = p.events[1:]
		p.held -= next.size
		p.change()
		return next.event, next.err
	}
	if p.failure != nil {
		return nil, p.failure
	}
	return nil, io.EOF
}

// All yields every event, and a *BadLine for every line that does not decode. It stops at the end of the
// output or after any other error. Breaking out of the loop leaves the process running; another call
// continues.
func (p *Process) All() iter.Seq2[protocol.SessionEvent, error] {
	return func(yield func(protocol.SessionEvent, error) bool) {
		for {
			event, err := p.Next(context.Background())
			if err == io.EOF {
				return
			}
			if _, isBad := err.(*protocol.BadLine); !yield(event, err) || err != nil && !isBad {
				return
			}
		}
	}
}

// --- sending ---------------------------------------------------------------------------------------

// Ask sends a request and returns its answer.
//
// The error is a *ControlError if the peer answers with an error, a *DecodeError if the answer is
// invalid, and an *Error if the process ends first or too many events are waiting. If the context is done
// first, the request is cancelled if the protocol supports that, and the error is that of the context.
func Ask[R any](ctx context.Context, p *Process, request protocol.Control[R]) (result R, err error) {
	answer, err := p.ask(ctx, request)
	if err != nil {
		return result, err
	}
	return protocol.SessionResult(request, answer)
}

// Request is like Ask for a request of any type: it returns the result in the form of
// SessionAnswer.Result.
func (p *Process) Request(ctx context.Context, request protocol.ControlPayload) (any, error) {
	answer, err := p.ask(ctx, request)
	if err != nil {
		return nil, err
	}
	return answer.Result, nil
}

// Started returns the result of the request of the launch for the given control.
func (p *Process) Started(ctx context.Context, control string) (any, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	pending := p.started[control]
	if pending == nil {
		return nil, fmt.Errorf("process: the launch has no request %q", control)
	}
	for !pending.isDone {
		if err := p.await(ctx); err != nil {
			return nil, err
		}
	}
	if pending.err != nil {
		return nil, pending.err
	}
	return pending.answer.Result, nil
}

// Write writes a message that is not part of the control protocol and waits until the process has
// accepted it. If the context is done first, its error is returned, but the message may still be written.
// Nothing is written if the message cannot be encoded.
func (p *Process) Write(ctx context.Context, message any) error {
	return p.send(ctx, func() ([]byte, error) { return protocol.Encode(message) })
}

// Reply answers a request that is not answered by a function; see Session.Reply.
func (p *Process) Reply(ctx context.Context, request *protocol.SessionRequest, result any) error {
	return p.send(ctx, func() ([]byte, error) { return p.session.Reply(request, result) })
}

// send writes a line and waits until the process has accepted it.
func (p *Process) send(ctx context.Context, encode func() ([]byte, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if err := p.runs(); err != nil {
		return err
	}
	text, err := encode()
	if err != nil {
		return err
	}
	sent := p.put(text)
	for !sent.isDone {
		if err := p.await(ctx); err != nil {
			p.leave(sent)
			return err
		}
	}
	return sent.err
}

func (p *Process) ask(ctx context.Context, request protocol.ControlPayload) (*protocol.SessionAnswer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if err := p.runs(); err != nil {
		return nil, err
	}
	if p.has(p.backlog) {
		return nil, p.unreadEvents()
	}
	id, text, err := p.session.Request(request)
	if err != nil {
		return nil, err
	}
	pending := &pendingAnswer{}
	p.pending[id] = pending
	sent := p.put(text)
	for !pending.isDone {
		if err := p.await(ctx); err != nil {
			p.giveUp(id, sent)
			return nil, err
		}
	}
	return pending.answer, pending.err
}

// canceller is a session of a protocol that has cancellations.
type canceller interface {
	Cancel(id protocol.ControlID) ([]byte, error)
}

// giveUp stops waiting for an answer, and cancels the request if the protocol supports that.
func (p *Process) giveUp(id protocol.ControlID, sent *line) {
	delete(p.pending, id)
	p.leave(sent)
	session, cancels := any(p.session).(canceller)
	if !cancels {
		return
	}
	if text, err := session.Cancel(id); err == nil && p.runs() == nil {
		p.leave(p.put(text))
	}
}

// runs returns an error if nothing can be sent any more.
func (p *Process) runs() error {
	switch {
	case p.hasExited || p.isOver:
		return p.ended(p.failure)
	case p.isClosing:
		return p.problem("the process is being ended")
	case p.isDeaf:
		return p.problem("the process has closed its input")
	}
	return nil
}

// put queues a line without waiting until it is written.
func (p *Process) put(text []byte) *line {
	sent := &line{text: text}
	p.lines = append(p.lines, sent)
	p.change() // the reader continues if it was waiting for the program
	return sent
}

// leave marks a line as having no waiting caller. If too many of them are queued, the process is ended.
func (p *Process) leave(sent *line) {
	if sent.isDone || sent.isLeft {
		return
	}
	sent.isLeft = true
	if p.unread += len(sent.text); p.unread > maxUnread {
		p.fail(p.problem("the process does not read what is sent to it"))
		p.kill()
	}
}

// write writes the queued lines.
func (p *Process) write() {
	defer p.pipes.Done()
	defer closeAll(p.stdin)
	to := protocol.NewWriter(p.stdin)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for {
		for len(p.lines) == 0 {
			if p.isClosing || p.hasExited {
				return
			}
			_ = p.await(context.Background())
		}
		next := p.lines[0]
		if !p.isDeaf {
			p.mutex.Unlock()
			err := to.WriteLine(next.text)
			if err != nil && within(p.exited, ending) {
				<-p.known
			}
			p.mutex.Lock()
			if p.isDeaf = err != nil; p.isDeaf && !p.hasExited {
				p.reject(p.problem("the process has closed its input"))
			}
		}
		switch {
		case p.isDeaf && p.hasExited:
			next.err = p.ended(p.failure)
		case p.isDeaf:
			next.err = p.problem("the process has closed its input")
		}
		p.lines[0] = nil
		p.lines = p.lines[1:]
		next.isDone = true
		if next.isLeft {
			p.unread -= len(next.text)
		}
		p.change()
	}
}

// --- receiving -------------------------------------------------------------------------------------

// read reads the output of the process.
func read[T any](p *Process, from *protocol.Reader[T]) {
	defer p.pipes.Done()
	for {
		message, err := from.Read()
		if err == io.EOF {
			p.pipes.Add(1)
			go p.outlast(p.stdout.hasEnded)
			_, _ = io.Copy(io.Discard, struct{ io.Reader }{p.stdout}) // behind a malformed header; the process must not block
			return
		}
		if _, isBad := err.(*protocol.BadLine); err != nil && !isBad {
			p.lost(err)
			return
		}
		p.take(message, err, from.Size())
	}
}

// outlast ends the events of a process that goes on after it has closed its output or written a malformed header.
func (p *Process) outlast(isClosed bool) {
	defer p.pipes.Done()
	if !within(p.exited, ending) {
		p.mute(isClosed)
		<-p.exited
	}
	p.stdout.end() // what child processes write behind a malformed header may not end
}

// mute ends the events of a process that goes on.
func (p *Process) mute(isClosed bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.isOver, p.muted = true, "the output of the process cannot be read behind a malformed header"
	if isClosed {
		p.muted = "the process has closed its output"
	}
	p.reject(p.ended(p.failure))
	p.change()
}

// output is a pipe that the process writes to. It ends when this package ends it, and after the end of the
// process if nothing comes for a while: two waits in a row, as one may be over before the read has looked
// into the pipe. What it holds when it is ended is still read: a function may have delayed the reader.
type output struct {
	*os.File
	exited   <-chan struct{}
	isEnded  atomic.Bool
	hasEnded bool
}

func (o *output) Read(room []byte) (int, error) {
	for waits := 0; waits < 2 && !o.hasEnded; {
		if within(o.exited, 0) {
			_ = o.SetReadDeadline(time.Now().Add(ending / 2))
			waits++
		}
		isLast := o.isEnded.Load()
		n, err := o.File.Read(room)
		if errors.Is(err, os.ErrClosed) {
			err = io.EOF
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			o.hasEnded = isLast || err != nil
			return n, err
		}
	}
	o.hasEnded = true
	return 0, io.EOF
}

// end ends the output of a process that has ended, although other processes have it open.
func (o *output) end() {
	o.isEnded.Store(true)
	if o.SetReadDeadline(time.Now()) != nil {
		closeAll(o.File) // pipes on Windows have no deadlines before Go 1.25
	}
}

// lost records that a pipe cannot be read.
func (p *Process) lost(err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.fail(err)
}

// readErrors reads the standard error of the process.
func (p *Process) readErrors() {
	defer close(p.heard)
	defer closeAll(p.stderr.File)
	room := make([]byte, 64<<10) // what a pipe holds: the last read takes all of it
	for to := p.errorsTo; ; {
		n, err := p.stderr.Read(room)
		p.keep(room[:n])
		if to != nil && n > 0 {
			if _, err := to.Write(room[:n]); err != nil {
				p.lost(err)
				to = nil
			}
		}
		if last, ok := to.(*receiver); ok && err != nil {
			last.pass(len(last.rest))
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			p.lost(err)
			return
		}
	}
}

// keep keeps the last part of the standard error.
func (p *Process) keep(text []byte) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.tail = append(p.tail, text...)
	if len(p.tail) > 2*maxTail {
		p.tail, p.isCut = append([]byte(nil), p.tail[len(p.tail)-maxTail:]...), true
	}
}

func (p *Process) tailText() string {
	tail := p.tail[max(0, len(p.tail)-maxTail):]
	for len(tail) > 0 && (p.isCut || len(tail) < len(p.tail)) && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return textOf(tail)
}

// textOf returns text with U+FFFD in place of everything that is not UTF-8: one for each byte, or for the
// bytes of a character that lacks its end.
func textOf(data []byte) string {
	var text strings.Builder
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		for r == utf8.RuneError && size < len(data) && !utf8.FullRune(data[:size+1]) {
			size++
		}
		text.WriteRune(r)
		data = data[size:]
	}
	return text.String()
}

// take processes a message, or the error of a line, given the size of the line; it waits if too much is
// in progress.
func (p *Process) take(message any, bad error, size int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	next := item{err: bad, size: size}
	if bad == nil {
		event, err := p.session.Receive(message)
		if err != nil {
			p.fail(err)
			return
		}
		next.event = event
	}
	if (bad != nil || !p.handle(next.event, size)) && !p.isDropped() {
		p.events = append(p.events, next)
		p.held += size
		p.change()
	}
	if len(p.pending) > 0 && p.has(p.backlog) {
		p.reject(p.unreadEvents())
		p.change()
	}
	for p.isFull() {
		_ = p.await(context.Background())
	}
}

// isFull reports whether enough events are waiting for the program, which may be waiting for an answer
// itself.
func (p *Process) isFull() bool {
	if p.isClosing || p.isOver || len(p.pending) > 0 {
		return false
	}
	return p.has(min(maxWaiting, p.backlog))
}

// has reports whether count events and calls are in progress, or their lines have reached the size limit.
func (p *Process) has(count int) bool { return len(p.events)+p.count >= count || p.held >= maxHeld }

// isDropped reports whether new events are discarded: after their end, or because the process is being ended
// and enough are waiting.
func (p *Process) isDropped() bool { return p.isOver || p.isClosing && p.has(maxWaiting) }

func (p *Process) unreadEvents() *Error {
	waiting := fmt.Sprintf("%d events wait and %d functions are called (%d bytes of lines)", len(p.events), p.count, p.held)
	unread := p.problem(waiting + ", so that no answer can be read: take events while a request awaits its answer")
	unread.Err = ErrBacklog
	return unread
}

// handle reports whether an event was consumed: a caller was waiting for it, or a function answers it.
func (p *Process) handle(event protocol.SessionEvent, size int) bool {
	switch event := event.(type) {
	case *protocol.SessionAnswer:
		return p.settle(event.ID, event, nil)
	case *protocol.SessionFailure:
		return event.Request != nil && p.settle(event.ID, nil, event.Err)
	case *protocol.SessionInvalidAnswer:
		return p.settle(event.ID, nil, event.Err)
	case *protocol.SessionUnknownRequest:
		if event.Line != nil {
			p.answer(event.Line)
		}
		return event.Line != nil
	case *protocol.SessionCancellation:
		if running := p.running[event.ID]; running != nil {
			running.cancel()
			return true
		}
	case *protocol.SessionRequest:
		delete(p.running, event.ID) // a call for a cancelled request, whose id this one has now
		for _, answer := range p.answers {
			if function, ok := answer(event.Payload); ok {
				if !p.isDropped() {
					p.call(event, function, size)
				}
				return true
			}
		}
		if function := p.launched.Answer(event.Payload); function != nil {
			if !p.isDropped() {
				p.call(event, function, size)
			}
			return true
		}
	}
	return false
}

func (p *Process) settle(id protocol.ControlID, answer *protocol.SessionAnswer, err error) bool {
	pending := p.pending[id]
	if pending == nil {
		return false
	}
	delete(p.pending, id)
	pending.answer, pending.err, pending.isDone = answer, err, true
	p.change()
	return true
}

// --- functions -------------------------------------------------------------------------------------

// call calls the function that answers a request.
func (p *Process) call(request *protocol.SessionRequest, function func(context.Context) (any, error), size int) {
	ctx, cancel := context.WithCancel(p.calls)
	own := &call{cancel}
	p.running[request.ID] = own
	p.count++
	p.held += size
	go func() {
		var result any
		err := errors.New("the function has ended its goroutine") // as the Fatal of a test does
		defer func() {
			defer cancel()
			p.mutex.Lock()
			defer p.mutex.Unlock()
			if !p.isClosing && !p.isOver {
				p.conclude(ctx, request, result, err, size)
			}
			if p.running[request.ID] == own {
				delete(p.running, request.ID)
			}
			p.count--
			p.held -= size
			p.change()
		}()
		result, err = function(ctx)
	}()
}

// conclude answers a request with the return values of its function. size is that of the request's line.
func (p *Process) conclude(ctx context.Context, request *protocol.SessionRequest, result any, err error, size int) {
	var text []byte
	if err == nil {
		text, err = p.session.Reply(request, result)
	}
	if err != nil {
		var refusal error
		var closed *protocol.SessionError
		message := textOf([]byte(err.Error())) // errors may quote bytes that are no text
		if text, refusal = refused(p.session, request, message); errors.As(refusal, &closed) {
			return // the peer no longer wants the answer
		}
		if refusal != nil || text == nil {
			p.fail(err) // the protocol has no errors, or none that can express this one
			return
		}
		if ctx.Err() == nil && !p.isDropped() {
			failed := &protocol.SessionFailedAnswer{ID: request.ID, Payload: request.Payload, Err: err}
			p.events = append(p.events, item{event: failed, size: size})
			p.held += size
			p.change()
		}
	}
	p.answer(text)
}

// answer sends an answer without a waiting caller.
func (p *Process) answer(text []byte) {
	if !p.isClosing && !p.isOver {
		p.leave(p.put(text))
	}
}

// --- ending ----------------------------------------------------------------------------------------

// Wait waits until the process has ended and its output is read. It returns nil if the process succeeded,
// otherwise an *Error. The output is read until too many events are waiting to be taken, unless the
// process is closed.
func (p *Process) Wait() error {
	<-p.done
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.failure == nil && p.state != nil && p.state.Success() {
		return nil
	}
	return p.ended(p.failure)
}

// Close ends the process: it closes its input, waits, terminates it, waits, and kills it. It returns the
// result of Wait. Queued lines are written first, and events that have arrived can still be taken
// afterwards.
func (p *Process) Close() error {
	p.end(p.grace)
	return p.Wait()
}

// abort ends the process when the context given to Start is done.
func (p *Process) abort(cause error) {
	p.mutex.Lock()
	p.fail(p.ended(cause))
	p.mutex.Unlock()
	p.end(0)
}

func (p *Process) end(grace time.Duration) {
	p.mutex.Lock()
	p.isClosing = true
	p.change()
	p.mutex.Unlock()
	if !within(p.exited, grace) {
		if err := p.command.Process.Signal(syscall.SIGTERM); err != nil || !within(p.exited, p.patience) {
			p.kill()
			<-p.exited
		}
	}
	if !within(p.done, min(p.patience, ending)) {
		p.stdout.end() // child processes may keep its output open
		p.stderr.end()
		<-p.done
	}
}

// within reports whether something happens within a time limit.
func within(happens <-chan struct{}, limit time.Duration) bool {
	select {
	case <-happens:
		return true
	default:
	}
	timer := time.NewTimer(max(limit, 0))
	defer timer.Stop()
	select {
	case <-happens:
		return true
	case <-timer.C:
		return false
	}
}

func (p *Process) kill() { _ = p.command.Process.Kill() }

// watch waits for the end of the process.
func (p *Process) watch(stop func() bool) {
	_ = p.command.Wait()
	for _, each := range []*output{p.stdout, p.stderr} {
		_ = each.SetReadDeadline(time.Now()) // a read that waits already goes on as one after the end
	}
	close(p.exited)
	closeAll(p.stdin) // child processes may keep its input open
	if !within(p.heard, ending) {
		p.stderr.end() // child processes that log may never be silent
	}
	p.mutex.Lock()
	p.state, p.hasExited = p.command.ProcessState, true
	p.change()
	p.mutex.Unlock()
	close(p.known)
	p.pipes.Wait()
	within(p.heard, ending) // what takes the standard error may block
	stop()
	p.mutex.Lock()
	p.isOver = true
	p.reject(p.ended(p.failure))
	p.change()
	p.mutex.Unlock()
	p.cancel()
	closeAll(p.stdout.File)
	close(p.done)
}

// fail ends the events with an error.
func (p *Process) fail(err error) {
	if p.isOver {
		return
	}
	p.failure, p.isOver = err, true
	p.reject(p.ended(err))
	p.change()
}

// reject fails all callers that wait for answers.
func (p *Process) reject(err *Error) {
	for _, pending := range p.pending {
		pending.err, pending.isDone = err, true
	}
	clear(p.pending)
}

// ended returns the error for using a process that has ended or is being ended, with the cause.
func (p *Process) ended(cause error) *Error {
	var own *Error
	switch {
	case errors.As(cause, &own):
		ended := p.problem(own.Message)
		ended.Err = own.Err
		return ended
	case cause != nil:
		ended := p.problem(cause.Error())
		ended.Err = cause
		return ended
	case p.state == nil && p.muted != "":
		return p.problem(p.muted)
	case p.state == nil:
		return p.problem("the process ended, and nothing is known of how")
	}
	return p.problem("the process ended (" + p.state.String() + ")")
}

func (p *Process) problem(message string) *Error {
	return &Error{Message: message, State: p.state, Stderr: p.tailText()}
}

// --- waiting ---------------------------------------------------------------------------------------

// await waits until something changes. The mutex is locked before and afterwards.
func (p *Process) await(ctx context.Context) error {
	changed := p.changed
	p.mutex.Unlock()
	defer p.mutex.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// change wakes everything that waits for a change.
func (p *Process) change() {
	close(p.changed)
	p.changed = make(chan struct{})
}
