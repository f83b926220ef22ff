// Package process runs a program that speaks the protocol as a child process, with a session.
//
// [Start] starts it by what the options of the protocol say, [Process.Next] and [Process.All] return the events of
// the session, and [Process.Close] ends it. [Ask] sends a request and returns its answer; functions given with
// [WithAnswer] answer requests of the process.
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
	"syscall"
	"time"
	"unicode/utf8"

	protocol "example.com/polywireruntime"
)

const (
	// maxTail is how much of the standard error is kept, in bytes.
	maxTail = 64 << 10
	// maxWaiting is how many events and calls of functions may be under way before no more is read, unless a request
	// awaits its answer.
	maxWaiting = 256
	// defaultBacklog is how many may be while a request awaits its answer.
	defaultBacklog = 4096
	// maxHeld is how many bytes their lines may have in either case.
	maxHeld = 64 << 20
	// maxUnread is how many bytes may wait for a process that does not read, where nobody waits for that.
	maxUnread = 1 << 20
	// defaultPatience is how long a process has to end by itself, and then when it is told to.
	defaultPatience = 5 * time.Second
)

// ErrBacklog is the Err of an [Error] if too many events wait for an answer to be read.
var ErrBacklog = errors.New("too many events wait to be taken")

// Error reports that the process has ended or is being ended, or that too many events wait; use errors.As.
type Error struct {
	Message string
	// State is how the process ended; nil if it has not.
	State *os.ProcessState
	// Stderr is the end of what the process wrote on its standard error.
	Stderr string
	// Err is what ended the process, such as the cause of a context, or ErrBacklog; nil if it ended by itself.
	Err error
}

func (e *Error) Error() string { return "process: " + e.Message }

func (e *Error) Unwrap() error { return e.Err }

// ExitCode returns the exit status, or -1 if the process has not ended or was ended by a signal.
func (e *Error) ExitCode() int { return e.State.ExitCode() }

// Option changes how a process is run.
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

// answerer calls the function that answers a request, unless the request is of another type.
type answerer func(payload any) (call func(context.Context) (any, error), ok bool)

// WithProgram sets the program, instead of the one in the launch.
func WithProgram(program string) Option { return func(o *options) { o.program = program } }

// WithStderr passes on what the process writes on its standard error. An error of the writer ends the events.
func WithStderr(to io.Writer) Option { return func(o *options) { o.errorsTo = to } }

// WithGrace sets how long the process has to end after its input is closed, and how much longer after it is terminated.
// Each is 5 seconds unless it is given.
func WithGrace(grace, patience time.Duration) Option {
	return func(o *options) { o.grace, o.patience = grace, patience }
}

// WithBacklog sets how many events may wait while a request awaits its answer, 4096 unless it is given. With more in
// front of the answer the request fails with [ErrBacklog], and its answer becomes an event.
func WithBacklog(events int) Option { return func(o *options) { o.backlog = events } }

// WithSession passes options on to the session.
func WithSession(given ...protocol.SessionOption) Option {
	return func(o *options) { o.pairing = append(o.pairing, given...) }
}

// WithReading passes options on to the reader of the process's output.
func WithReading(given ...protocol.Option) Option {
	return func(o *options) { o.reading = append(o.reading, given...) }
}

// WithAnswer answers the requests of a type with a function, which is called in a separate goroutine. An error that it
// returns refuses the request. Its context is done when the request is cancelled or the process ends; it must not
// panic. Of several functions for a type, the first is called.
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

// Process is a process that speaks the protocol, and the session with it. It is safe for concurrent use.
//
// Its output is read while the program takes events or waits for answers. If events are not taken, the process waits.
type Process struct {
	options
	session *protocol.Session
	command *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	// calls is the context of functions.
	calls  context.Context
	cancel context.CancelFunc
	exited chan struct{}
	done   chan struct{}
	// pipes are the goroutines that read and write.
	pipes sync.WaitGroup

	mutex sync.Mutex
	// changed is closed when anything below changes.
	changed chan struct{}
	events  []item
	// askers are those who wait for an answer, by the id of the request.
	askers  map[protocol.ControlID]*asker
	started map[string]*asker
	// running are the calls of functions, by the id of the request; count is how many there are, with those whose
	// requests are cancelled.
	running map[protocol.ControlID]*call
	count   int
	// held is the size of the lines of events and calls that are under way.
	held int
	// lines are to be written; unread is the size of those that nobody waits for.
	lines     []*line
	unread    int
	tail      []byte
	isCut     bool
	isDeaf    bool
	isClosing bool
	hasExited bool
	isOver    bool
	// failure is why the events end; nil at the end of the output.
	failure error
	state   *os.ProcessState
}

type (
	// item is an event, or what is wrong with a line.
	item struct {
		event protocol.SessionEvent
		err   error
		size  int
	}
	// asker waits for an answer.
	asker struct {
		answer *protocol.SessionAnswer
		err    error
		isDone bool
	}
	// call is a function that is called.
	call struct{ cancel context.CancelFunc }
	// line is to be written.
	line struct {
		text   []byte
		err    error
		isDone bool
		// isLeft says that nobody waits for it.
		isLeft bool
	}
)

// --- the start -------------------------------------------------------------------------------------

// Start starts a process with a launch, and sends the requests of the launch. This side of the connection is
// peer. When the context is done, the process is terminated, and killed if that does not end it. Always close the
// process.
func Start(ctx context.Context, peer protocol.Peer, launch *protocol.Launched, given ...Option) (*Process, error) {
	p := &Process{
		options: options{grace: defaultPatience, patience: defaultPatience, backlog: defaultBacklog},
		exited:  make(chan struct{}),
		done:    make(chan struct{}),
		changed: make(chan struct{}),
		askers:  map[protocol.ControlID]*asker{},
		started: map[string]*asker{},
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
	p.pipes.Add(3)
	go p.write()
	go read(p, protocol.NewReader(p.stdout, p.reading...))
	go p.readErrors()
	go p.watch(context.AfterFunc(ctx, func() { p.abort(context.Cause(ctx)) }))
	return p, nil
}

// prepare makes the lines of the requests of the start.
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
		asked := &asker{}
		p.askers[id], p.started[control] = asked, asked
		p.put(text)
	}
	return nil
}

// begin starts the program, with pipes of its own: those of os/exec are closed as soon as it ends.
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
	p.stdin, p.stdout, p.stderr = own[0], own[1], own[2]
	return p.command.Start()
}

func closeAll(files ...*os.File) {
	for _, file := range files {
		if file != nil {
			_ = file.Close()
		}
	}
}

// --- what the program sees -------------------------------------------------------------------------

// Session returns the session with the process. The Process does not notice direct changes of it.
func (p *Process) Session() *protocol.Session { return p.session }

// Stderr returns the end of what the process has written on its standard error.
func (p *Process) Stderr() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.tailText()
}

// State returns how the process ended; nil if it has not.
func (p *Process) State() *os.ProcessState {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.state
}

// Next returns the next event, or a *BadLine, after which others may come. At the end of the output it returns
// io.EOF. It returns the context's error if that is done before; no event is lost.
//
// Answers to Request and Ask are not events, and neither are requests that functions answer.
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

// All yields every event, and a *BadLine for every line that does not decode. It ends at the end of the output, or
// after any other error. Leaving the loop leaves the process running; another call continues.
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
// The error is a *ControlError if the peer answers with one, a *DecodeError if the answer is invalid, and an *Error if
// the process ends first or too many events wait. If the context is done first, the request is cancelled if the
// protocol supports that, and the error is that of the context.
func Ask[R any](ctx context.Context, p *Process, request protocol.Control[R]) (result R, err error) {
	answer, err := p.ask(ctx, request)
	if err != nil {
		return result, err
	}
	return protocol.SessionResult(request, answer)
}

// Request is Ask for a request of any type: it returns the result as a SessionAnswer has it.
func (p *Process) Request(ctx context.Context, request protocol.ControlPayload) (any, error) {
	answer, err := p.ask(ctx, request)
	if err != nil {
		return nil, err
	}
	return answer.Result, nil
}

// Started returns the result of a request of the start, by its control.
func (p *Process) Started(ctx context.Context, control string) (any, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	asked := p.started[control]
	if asked == nil {
		return nil, fmt.Errorf("process: the launch has no request %q", control)
	}
	for !asked.isDone {
		if err := p.await(ctx); err != nil {
			return nil, err
		}
	}
	if asked.err != nil {
		return nil, asked.err
	}
	return asked.answer.Result, nil
}

// Write writes a message that is not part of the control protocol, and waits until the process has taken it. If the
// context is done first, its error is returned, but the message can still be written. Nothing is written if the message
// cannot be encoded.
func (p *Process) Write(ctx context.Context, message any) error {
	return p.send(ctx, func() ([]byte, error) { return protocol.Encode(message) })
}

// Reply answers a request that no function answers; see Session.Reply.
func (p *Process) Reply(ctx context.Context, request *protocol.SessionRequest, result any) error {
	return p.send(ctx, func() ([]byte, error) { return p.session.Reply(request, result) })
}

// send writes a line, and waits until the process has taken it.
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
	asked := &asker{}
	p.askers[id] = asked
	sent := p.put(text)
	for !asked.isDone {
		if err := p.await(ctx); err != nil {
			p.giveUp(id, sent)
			return nil, err
		}
	}
	return asked.answer, asked.err
}

// giveUp stops waiting for an answer; the peer is told where the protocol can.
func (p *Process) giveUp(id protocol.ControlID, sent *line) {
	delete(p.askers, id)
	p.leave(sent)
	text, err := cancelled(p.session, id)
	if err == nil && text != nil && p.runs() == nil {
		p.leave(p.put(text))
	}
}

// runs returns an error if nothing can be sent.
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

// put hands a line over, without waiting until it is written.
func (p *Process) put(text []byte) *line {
	sent := &line{text: text}
	p.lines = append(p.lines, sent)
	p.change() // the reader goes on if it waited for the program
	return sent
}

// leave leaves a line alone. A process that lets too many of them wait is ended.
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

// write writes the lines that are handed over.
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
			p.mutex.Lock()
			p.isDeaf = err != nil
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
			return
		}
		if _, isBad := err.(*protocol.BadLine); err != nil && !isBad {
			p.lost(err)
			return
		}
		p.take(message, err, from.Size())
	}
}

// lost notes that a pipe cannot be read, unless it was closed here.
func (p *Process) lost(err error) {
	if !errors.Is(err, os.ErrClosed) {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.fail(err)
	}
}

// readErrors reads the standard error of the process.
func (p *Process) readErrors() {
	defer p.pipes.Done()
	room := make([]byte, 32<<10)
	for to := p.errorsTo; ; {
		n, err := p.stderr.Read(room)
		p.keep(room[:n])
		if to != nil && n > 0 {
			if _, err := to.Write(room[:n]); err != nil {
				p.lost(err)
				to = nil
			}
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

// keep keeps the end of the standard error.
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
	return strings.ToValidUTF8(string(tail), "\uFFFD")
}

// take takes a message from a line of some size, or such a line that does not decode, and waits if enough is under way.
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
	if len(p.askers) > 0 && p.has(p.backlog) {
		p.reject(p.unreadEvents())
		p.change()
	}
	for p.isFull() {
		_ = p.await(context.Background())
	}
}

// isFull reports whether enough waits for the program, which may wait for an answer itself.
func (p *Process) isFull() bool {
	if p.isClosing || p.isOver || len(p.askers) > 0 {
		return false
	}
	return p.has(min(maxWaiting, p.backlog))
}

// has reports whether so many events and calls are under way, or their lines have as many bytes as they may.
func (p *Process) has(count int) bool { return len(p.events)+p.count >= count || p.held >= maxHeld }

// isDropped reports whether nobody sees what comes now, as the process is being ended and enough waits.
func (p *Process) isDropped() bool { return (p.isClosing || p.isOver) && p.has(maxWaiting) }

func (p *Process) unreadEvents() *Error {
	waiting := fmt.Sprintf("%d events wait and %d functions are called (%d bytes of lines)", len(p.events), p.count, p.held)
	unread := p.problem(waiting + ", so that no answer can be read: take events while a request awaits its answer")
	unread.Err = ErrBacklog
	return unread
}

// handle reports whether nobody needs to see an event, as it is what somebody waits for, or is answered.
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
		for _, answer := range p.answers {
			if function, ok := answer(event.Payload); ok {
				if !p.isDropped() {
					p.call(event, function, size)
				}
				return true
			}
		}
	}
	return false
}

func (p *Process) settle(id protocol.ControlID, answer *protocol.SessionAnswer, err error) bool {
	asked := p.askers[id]
	if asked == nil {
		return false
	}
	delete(p.askers, id)
	asked.answer, asked.err, asked.isDone = answer, err, true
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
		defer cancel()
		result, err := function(ctx)
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if !p.isClosing && !p.isOver {
			p.conclude(request, result, err)
		}
		if p.running[request.ID] == own {
			delete(p.running, request.ID)
		}
		p.count--
		p.held -= size
		p.change()
	}()
}

// conclude answers a request with what its function returned.
func (p *Process) conclude(request *protocol.SessionRequest, result any, err error) {
	var text []byte
	if err == nil {
		text, err = p.session.Reply(request, result)
	}
	if err != nil {
		var refusal error
		var closed *protocol.SessionError
		if text, refusal = refused(p.session, request, err.Error()); errors.As(refusal, &closed) {
			return // the peer does not want it any more
		}
		if refusal != nil || text == nil {
			p.fail(err) // the protocol has no errors, or none that could say this
			return
		}
	}
	p.answer(text)
}

// answer sends an answer that nobody waits for.
func (p *Process) answer(text []byte) {
	if !p.isClosing && !p.isOver {
		p.leave(p.put(text))
	}
}

// --- the end ---------------------------------------------------------------------------------------

// Wait waits until the process has ended and its output is read, and returns nil if it succeeded, and otherwise an
// *Error. Its output is read up to the last events that wait to be taken, unless the process is closed.
func (p *Process) Wait() error {
	<-p.done
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.failure == nil && p.state != nil && p.state.Success() {
		return nil
	}
	return p.ended(p.failure)
}

// Close ends the process: it closes its input, waits, terminates it, waits, and kills it. It returns what Wait
// returns. Lines that are handed over are written before, and events that came can be taken afterwards.
func (p *Process) Close() error {
	p.end(p.grace)
	return p.Wait()
}

// abort ends the process when the context of its start is done.
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
	if !within(p.done, p.patience) {
		closeAll(p.stdout, p.stderr) // others that it has started hold its output open
		<-p.done
	}
}

// within reports whether something happens within some time.
func within(happens <-chan struct{}, limit time.Duration) bool {
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
	p.mutex.Lock()
	p.state, p.hasExited = p.command.ProcessState, true
	p.change()
	p.mutex.Unlock()
	close(p.exited)
	closeAll(p.stdin) // others that it has started may hold its input open
	p.pipes.Wait()
	stop()
	p.mutex.Lock()
	p.isOver = true
	p.reject(p.ended(p.failure))
	p.change()
	p.mutex.Unlock()
	p.cancel()
	closeAll(p.stdout, p.stderr)
	close(p.done)
}

// fail ends the events for a reason.
func (p *Process) fail(err error) {
	if p.isOver {
		return
	}
	p.failure, p.isOver = err, true
	p.reject(p.ended(err))
	p.change()
}

// reject tells those who wait for answers that none will come to them.
func (p *Process) reject(err *Error) {
	for _, asked := range p.askers {
		asked.err, asked.isDone = err, true
	}
	clear(p.askers)
}

// ended is the error of whoever wants something of a process that has ended, or is ended for a cause.
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

// change tells those who wait that something has changed.
func (p *Process) change() {
	close(p.changed)
	p.changed = make(chan struct{})
}
