// Command client prints what a language server finds: client PYTHON SERVER [broken]
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"example.com/lsp/lsp"
	"example.com/lsp/lsp/process"
)

const text = "a wrong word é\nno\nwrong wrong"

func main() {
	background := context.Background()
	launched := must(lsp.Launch(&lsp.Server{Program: os.Args[1], Arguments: os.Args[2:]}, ""))
	server := must(process.Start(background, lsp.PeerClient, launched))
	about := lsp.InitializeParams{Capabilities: map[string]any{}}
	answer := must(process.Ask(background, server, &lsp.InitializeRequest{Params: about}))
	fmt.Println(answer.ServerInfo.Name)
	must(0, server.Notify(background, &lsp.Initialized{Params: map[string]any{}}))
	document := lsp.OpenDocument{URI: "file:///é", LanguageID: "words", Version: 1, Text: text}
	must(0, server.Notify(background, &lsp.DidOpen{Params: lsp.DidOpenParams{TextDocument: document}}))
	take(server)
	_, err := process.Ask(background, server, &lsp.ShutdownRequest{})
	var ended *process.Error
	if errors.As(err, &ended) {
		fmt.Println(strings.Contains(ended.Message, "behind a malformed header"))
		_ = server.Close()
		fmt.Println(server.State().ExitCode())
		return
	}
	must(0, err)
	must(0, server.Notify(background, &lsp.Exit{}))
	must(0, server.Close())
	fmt.Println(server.State().ExitCode())
}

// take prints events until the server has logged something, or its output ends.
func take(server *process.Process) {
	for event, err := range server.All() {
		var bad *lsp.BadLine
		if errors.As(err, &bad) {
			var fault *lsp.DecodeError
			errors.As(bad, &fault)
			fmt.Printf("message %d: %s %s\n", bad.Line, fault.Code, bad.Raw)
			continue
		}
		if err != nil {
			return
		}
		notification, ok := event.(*lsp.SessionNotification)
		if !ok {
			continue
		}
		switch notice := notification.Payload.(type) {
		case *lsp.PublishDiagnostics:
			for _, each := range notice.Params.Diagnostics {
				message := strings.ReplaceAll(each.Message, "\n", `\n`)
				fmt.Printf("%d:%d '%s'\n", each.Range.Start.Line, each.Range.Start.Character, message)
			}
		case *lsp.LogMessage:
			fmt.Println(notice.Params.Message)
			return
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
