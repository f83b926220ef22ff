package gotests

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/agentproto/agentproto-go/types"
)

// asInTheReadme is the code of the package's README, which test_go.py compares.
func asInTheReadme() error {
	for message, err := range types.NewReader(os.Stdin).All() {
		var bad *types.BadLine
		switch {
		case errors.As(err, &bad):
			log.Printf("line %d: %v", bad.Line, bad.Err)
		case err != nil:
			return err // of reading
		default:
			fmt.Printf("%T\n", message)
		}
	}
	return nil
}

func TestTheReadmesCodeReadsStandardInput(t *testing.T) {
	stdin, stdout := os.Stdin, os.Stdout
	defer func() {
		os.Stdin, os.Stdout = stdin, stdout
		log.SetOutput(os.Stderr)
	}()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/in", []byte(stream), 0o600); err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	log.SetOutput(&logged)
	os.Stdin = must(os.Open(dir + "/in"))
	os.Stdout = must(os.Create(dir + "/out"))
	if err := asInTheReadme(); err != nil {
		t.Fatal(err)
	}
	printed := string(must(os.ReadFile(dir + "/out")))
	if printed != "*types.StatusMessage\n*types.UserMessage\n*types.KeepAliveMessage\n" {
		t.Errorf("%q", printed)
	}
	if !strings.Contains(logged.String(), "line 4: types: decode: invalid_json") {
		t.Errorf("%q", logged.String())
	}
}
