// Command tally is a remote plugin with a small ledger, written with only Go's standard library.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const root = "/v1/cloud-wallet"

// bodyLimit is the protocol's maximum size of a request body in bytes.
const bodyLimit = 16 << 20

// A Problem is the response to a request that was refused or failed (RFC 9457). A refused request has no effect.
type Problem struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Status int     `json:"status"`
	Detail string  `json:"detail"`
	Errors []place `json:"errors,omitempty"`
}

type place struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
}

func (p *Problem) Error() string { return p.Detail }

func refuse(status int, name, detail, pointer string) *Problem {
	problem := &Problem{
		Type:   "urn:ledger-ops:problem:" + name,
		Title:  strings.ReplaceAll(name, "-", " "),
		Status: status,
		Detail: detail,
	}
	if pointer != "" {
		problem.Errors = []place{{pointer, detail}}
	}
	return problem
}

func invalid(pointer, detail string) *Problem {
	return refuse(400, "invalid-request", pointer+" "+detail, pointer)
}

// post returns a handler that reads a JSON body, calls run with it, and responds with the result.
func post[Body any](status int, run func(Body) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(io.LimitReader(r.Body, bodyLimit+1))
		if err != nil {
			return
		}
		if len(text) > bodyLimit {
			// Reads the rest, so that the host receives the response.
			_, _ = io.Copy(io.Discard, r.Body)
			reply(w, 0, nil, refuse(413, "payload-too-large", "The body must have at most 16 MiB.", ""))
			return
		}
		var body Body
		if json.Unmarshal(text, &body) != nil {
			reply(w, 0, nil, refuse(400, "invalid-json", "The body must be a JSON object of the protocol.", ""))
			return
		}
		answer, err := run(body)
		reply(w, status, answer, err)
	}
}

func reply(w http.ResponseWriter, status int, answer any, err error) {
	kind := "application/json"
	if err != nil {
		var problem *Problem
		if !errors.As(err, &problem) {
			log.Print(err)
			problem = refuse(500, "adapter-fault", "The plugin has a bug.", "")
		}
		kind, status, answer = "application/problem+json", problem.Status, problem
	}
	w.Header().Set("content-type", kind)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // If this fails, the host closed the connection and will repeat the request.
}

func routes(plugin *Plugin) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+root, func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, description, nil) })
	mux.HandleFunc("POST "+root+"/wallets", post(201, plugin.createWallet))
	mux.HandleFunc("POST "+root+"/transactions", post(200, plugin.send))
	mux.HandleFunc("GET "+root+"/transactions", func(w http.ResponseWriter, r *http.Request) {
		var ids []string
		for _, value := range r.URL.Query()["txId"] {
			ids = append(ids, strings.Split(value, ",")...)
		}
		answer, err := plugin.statuses(ids)
		reply(w, 200, answer, err)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 0, nil, refuse(404, "not-found", "There is no such operation.", ""))
	})
	return mux
}

func run(address, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	ledger, err := OpenLedger(filepath.Join(folder, "ledger.jsonl"))
	if err != nil {
		return err
	}
	plugin, err := OpenPlugin(ledger, filepath.Join(folder, "plugin.jsonl"))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	go func() {
		for range time.Tick(blockTime) {
			if err := ledger.MakeBlock(); err != nil {
				log.Fatal(err)
			}
		}
	}()
	fmt.Printf("http://%s\n", listener.Addr())
	server := &http.Server{Handler: routes(plugin), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute}
	return server.Serve(listener)
}

func main() {
	switch {
	case len(os.Args) == 4 && os.Args[1] == "balance":
		balance, err := ReadBalance(filepath.Join(os.Args[2], "ledger.jsonl"), os.Args[3])
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(balance)
	case len(os.Args) == 3:
		log.Fatal(run(os.Args[1], os.Args[2]))
	default:
		log.Fatal("usage: tally <address> <data folder>, such as: tally 127.0.0.1:8080 data\n" +
			"       tally balance <data folder> <account>")
	}
}
