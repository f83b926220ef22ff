package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"example.com/desk/desk"
	"example.com/desk/desk/process"
)

const stubVariable = "POLYWIRE_STUB"

func TestMain(m *testing.M) {
	in := bufio.NewScanner(os.Stdin)
	switch os.Getenv(stubVariable) {
	case "asks":
		fmt.Println(`{"type":"ask","id":"x","ask":{"what":"lamp","level":1}}`)
	case "is asked":
		in.Scan()
		fmt.Println(`{"type":"bell"}`)
	case "asks for what is unknown":
		fmt.Println(`{"type":"ask","id":"x","ask":{"what":"moon"}}`)
	default:
		os.Exit(m.Run())
	}
	for in.Scan() {
		fmt.Println(`{"type":"bell","heard":true}`)
	}
}

func start(t *testing.T, stub string, options ...process.Option) *process.Process {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]string{stubVariable: stub}
	how := &desk.Launched{Program: program, Environment: desk.LaunchEnvironment{Inherit: true, Set: set}}
	p, err := process.Start(context.Background(), desk.PeerVisitor, how, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func TestWhatAFunctionCannotSayEndsTheEvents(t *testing.T) {
	broken := errors.New("the lamp is broken")
	p := start(t, "asks", process.WithAnswer(func(context.Context, *desk.LampAsk) (bool, error) { return false, broken }))
	if _, err := p.Next(context.Background()); err != broken {
		t.Error(err)
	}
	var ended *process.Error
	if err := p.Write(context.Background(), &desk.Bell{}); !errors.As(err, &ended) || !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestNothingIsSentForARequestThatNobodyWaitsFor(t *testing.T) {
	p := start(t, "is asked")
	ctx, cancel := context.WithCancel(context.Background())
	asked := make(chan error)
	go func() {
		_, err := process.Ask(ctx, p, desk.LampAsk{Level: 1})
		asked <- err
	}()
	if _, err := p.Next(context.Background()); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-asked; err != context.Canceled {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for event := range p.All() {
		t.Error(event, "came, so something was sent")
	}
	if len(p.Session().Pending()) != 1 {
		t.Error(p.Session().Pending())
	}
}

func TestUnknownRequestsThatNothingCanRefuseAreHandedOut(t *testing.T) {
	p := start(t, "asks for what is unknown")
	event, err := p.Next(context.Background())
	if unknown, ok := event.(*desk.SessionUnknownRequest); err != nil || !ok || unknown.ID != "x" {
		t.Error(event, err)
	}
}
