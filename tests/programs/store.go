// Keep the messages of a session in records of this program's own, and compare what comes back.
//
// store SESSION STORE
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"example.com/agentlines/types"
)

// record is a message, and what this program knows about it.
type record struct {
	Number  int                         `json:"number"`
	Note    string                      `json:"note"`
	Message types.Box[types.SDKMessage] `json:"message"`
}

// records returns the messages of a session.
func records(session string) ([]record, error) {
	file, err := os.Open(session)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var found []record
	for message, err := range types.NewReaderOf(file, types.UnmarshalSDKMessage).All() {
		var bad *types.BadLine
		switch {
		case errors.As(err, &bad):
			continue
		case err != nil:
			return nil, err
		}
		note := fmt.Sprintf("%T", message)
		found = append(found, record{len(found), note, types.Box[types.SDKMessage]{Value: message}})
	}
	return found, nil
}

// write stores records, one a line.
func write(store string, records []record) error {
	file, err := os.Create(store)
	if err != nil {
		return err
	}
	to := json.NewEncoder(file)
	for _, each := range records {
		if err := to.Encode(each); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	return file.Close()
}

// read returns the records of a store.
func read(store string) (found []record, err error) {
	file, err := os.Open(store)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for from := json.NewDecoder(file); ; {
		var each record
		switch err := from.Decode(&each); {
		case err == io.EOF:
			return found, nil
		case err != nil:
			return nil, err
		}
		found = append(found, each)
	}
}

func main() {
	written, err := records(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := write(os.Args[2], written); err != nil {
		log.Fatal(err)
	}
	back, err := read(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	equal := 0
	for i, each := range back {
		if each.Number == written[i].Number && each.Note == written[i].Note && each.Message.Equal(written[i].Message) {
			equal++
		}
	}
	fmt.Printf("{\"stored\": %d, \"equal\": %d}\n", len(back), equal)
}
