package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	protocol "example.com/polywireruntime"
)

// stubVariable is set if this program is to act as the other side of the connection instead of running
// tests.
const stubVariable = "POLYWIRE_STUB"

const spoken = `{"kind":"note","id":"15a80493-66e9-4466-ae3a-bcd607abc2e9","count":%d,"text":null,"body":null,"meta":null}`

func TestMain(m *testing.M) {
	if os.Getenv(stubVariable) == "" {
		os.Exit(m.Run())
	}
	in := bufio.NewReader(os.Stdin)
	if _, err := in.ReadString('\n'); err != nil {
		os.Exit(1)
	}
	fmt.Println(`{"id":"1","kind":"good","result":{"x":1,"y":2}}`)
	fmt.Println(`{"id":"q","ask":{"kind":"event/move"}}`)
	for n := range 3000 {
		fmt.Printf(spoken+"\n", n)
	}
	_, _ = io.Copy(os.Stderr, in)
}

// TestASession runs a conversation in the sample protocol; the tests of a generated package cover more.
func TestASession(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	launch := &protocol.Launched{
		Program:     program,
		Environment: protocol.LaunchEnvironment{Inherit: true, Set: map[string]string{stubVariable: "yes"}},
	}
	ctx := context.Background()
	p, err := Start(ctx, "a", launch, WithAnswer(func(context.Context, *protocol.Event) (protocol.None, error) {
		return protocol.None{}, errors.New("not here \xff")
	}))
	if err != nil {
		t.Fatal(err)
	}
	found, err := Ask(ctx, p, &protocol.Note{Count: 1})
	if err != nil || found.X != 1 || found.Y != 2 {
		t.Error(found, err)
	}
	n, refused := 0, 0
	for event, err := range p.All() {
		if failed, ok := event.(*protocol.SessionFailedAnswer); ok {
			if _, isEvent := failed.Payload.(*protocol.Event); !isEvent || failed.ID != "q" || failed.Err.Error() != "not here \xff" {
				t.Error(failed)
			}
			refused++
			continue
		}
		message, ok := event.(*protocol.SessionMessage)
		if err != nil || !ok {
			t.Fatal(event, err)
		}
		if note, ok := message.Message.(*protocol.Note); !ok || note.Count != int64(n) {
			t.Fatal(message.Message)
		}
		p.mutex.Lock()
		ahead := len(p.events) + p.count
		p.mutex.Unlock()
		if ahead > maxWaiting {
			t.Fatal(ahead, "events are ahead of the program")
		}
		if n++; n == 3000 {
			break
		}
	}
	if err := p.Close(); err != nil || refused != 1 {
		t.Error(err, refused)
	}
	if want := `{"id":"q","kind":"bad","failed":{"text":"not here ` + "\uFFFD" + `","code":"no"}}` + "\n"; p.Stderr() != want {
		t.Error(p.Stderr())
	}
}
