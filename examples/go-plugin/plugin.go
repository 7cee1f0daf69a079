package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"math/big"
	"regexp"
	"sync"
)

const ledgerID = "tally"

// A wallet is stored with its key, and with the hash of the secret that the host generated for it.
type wallet struct {
	ID     string `json:"id"`
	Secret []byte `json:"secret"`
	Key    []byte `json:"key"`
}

func (w wallet) address() string {
	return addressOf(ed25519.PrivateKey(w.Key).Public().(ed25519.PublicKey))
}

// An action is stored with its signed transfer before the transfer is sent.
type action struct {
	ID       string   `json:"id"`
	Transfer Transfer `json:"transfer"`
}

// A record is one line of the plugin's journal.
type record struct {
	Wallet *wallet `json:"wallet,omitempty"`
	Action *action `json:"action,omitempty"`
}

// A Plugin handles the requests of hosts. One mutex makes each request atomic.
type Plugin struct {
	mutex   sync.Mutex
	ledger  *Ledger
	journal *Journal
	wallets map[string]wallet
	actions map[string]action
	// byTx contains the actions by the ids of their transactions.
	byTx map[string]action
}

// OpenPlugin reads the journal and sends the transfer of every stored action again, because the process may have stopped before
// it was sent. This is safe: the ledger executes a transaction only once.
func OpenPlugin(ledger *Ledger, file string) (*Plugin, error) {
	plugin := &Plugin{
		ledger:  ledger,
		wallets: map[string]wallet{},
		actions: map[string]action{},
		byTx:    map[string]action{},
	}
	journal, err := OpenJournal(file, func(line []byte) error {
		var one record
		if err := json.Unmarshal(line, &one); err != nil {
			return err
		}
		plugin.keep(one)
		return nil
	})
	if err != nil {
		return nil, err
	}
	plugin.journal = journal
	for _, one := range plugin.actions {
		if err := ledger.Submit(one.Transfer); err != nil {
			return nil, err
		}
	}
	return plugin, nil
}

func (p *Plugin) keep(one record) {
	if one.Wallet != nil {
		p.wallets[one.Wallet.ID] = *one.Wallet
	}
	if one.Action != nil {
		p.actions[one.Action.ID] = *one.Action
		p.byTx[one.Action.Transfer.ID()] = *one.Action
	}
}

func (p *Plugin) store(one record) error {
	if err := p.journal.Append(one); err != nil {
		return refuse(503, "unavailable", "The plugin cannot write to its disk.", "")
	}
	p.keep(one)
	return nil
}

// description is the response to GET /v1/cloud-wallet.
var description = map[string]any{
	"name":             "tally",
	"technology":       "tally",
	"version":          "0.1.0",
	"interfaceVersion": "0.1.0",
	"capabilities":     map[string]any{"operations": []string{"transfer"}, "checks": false, "emulations": false},
	"ledgers":          []string{ledgerID},
	"description": map[string]any{
		"title":     "Tally",
		"addresses": map[string]any{"account": map[string]any{"pattern": "^t[0-9a-f]{32}$", "example": "t000102030405060708090a0b0c0d0e0f"}},
		"unit":      map[string]any{"symbol": "TLY", "decimals": 0},
	},
}

type walletRequest struct {
	LedgerID   string            `json:"ledgerId"`
	WalletID   string            `json:"walletId"`
	Parameters map[string]string `json:"pluginParameters"`
}

// createWallet creates a wallet. A repeated request with the same secret returns the same address.
func (p *Plugin) createWallet(request walletRequest) (any, error) {
	if request.LedgerID == "" {
		return nil, invalid("/ledgerId", "must be a non-empty string")
	}
	if request.LedgerID != ledgerID {
		return nil, refuse(404, "not-found", "The plugin does not have this ledger.", "/ledgerId")
	}
	if request.WalletID == "" {
		return nil, invalid("/walletId", "must be a non-empty string")
	}
	secret, err := secretOf(request.Parameters, "/pluginParameters")
	if err != nil {
		return nil, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	known, found := p.wallets[request.WalletID]
	if found && subtle.ConstantTimeCompare(known.Secret, secret) == 0 {
		return nil, refuse(409, "already-exists", "The wallet already exists with another secret.", "")
	}
	if !found {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return nil, refuse(503, "unavailable", "The plugin cannot generate a key.", "")
		}
		known = wallet{ID: request.WalletID, Secret: secret, Key: key}
		if err := p.store(record{Wallet: &known}); err != nil {
			return nil, err
		}
	}
	return map[string]any{"walletAddress": known.address()}, nil
}

type sendRequest struct {
	ActionID   string            `json:"actionId"`
	Wallet     string            `json:"wallet"`
	Parameters map[string]string `json:"pluginParams"`
	GLO        json.RawMessage   `json:"glo"`
}

// send executes an action once, even if the request is repeated. It stores the action before it sends the transfer.
func (p *Plugin) send(request sendRequest) (any, error) {
	if request.ActionID == "" {
		return nil, invalid("/actionId", "must be a non-empty string")
	}
	secret, err := secretOf(request.Parameters, "/pluginParams")
	if err != nil {
		return nil, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	from, found := p.wallets[request.Wallet]
	if !found {
		return nil, refuse(404, "not-found", "The plugin does not have this wallet.", "/wallet")
	}
	if subtle.ConstantTimeCompare(from.Secret, secret) == 0 {
		return nil, refuse(403, "wrong-wallet-password", "This is not the wallet's secret.", "")
	}
	to, amount, err := readTransfer(request.GLO)
	if err != nil {
		return nil, err
	}
	key := ed25519.PrivateKey(from.Key)
	transfer := Transfer{PublicKey: key.Public().(ed25519.PublicKey), To: to, Amount: amount, Reference: request.ActionID}
	known, found := p.actions[request.ActionID]
	if found && known.Transfer.ID() != transfer.ID() {
		return nil, refuse(409, "already-exists", "The action already exists with different content.", "/actionId")
	}
	if !found {
		transfer.Signature = ed25519.Sign(key, transfer.message())
		known = action{ID: request.ActionID, Transfer: transfer}
		if err := p.store(record{Action: &known}); err != nil {
			return nil, err
		}
		if err := p.ledger.Submit(transfer); err != nil {
			return nil, err
		}
	}
	status := p.status(known)
	return map[string]any{"txId": known.Transfer.ID(), "status": status["status"], "problem": status["problem"]}, nil
}

// statuses returns one status per id, in the order of the ids. An id is that of a transaction or of an action.
func (p *Plugin) statuses(ids []string) (any, error) {
	if len(ids) == 0 {
		return nil, invalid("txId", "is required")
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	answers := []map[string]any{}
	for _, id := range ids {
		known, found := p.byTx[id]
		if !found {
			known, found = p.actions[id]
		}
		if found {
			answers = append(answers, p.status(known))
			continue
		}
		// The host distinguishes an unknown transaction from a failed one by the status of the problem.
		unknown := refuse(404, "not-found", "The plugin does not have this transaction.", "")
		answers = append(answers, map[string]any{"status": "FAILED", "problem": unknown})
	}
	return answers, nil
}

func (p *Plugin) status(one action) map[string]any {
	id := one.Transfer.ID()
	outcome, found := p.ledger.Find(id)
	if !found {
		return map[string]any{"status": "PROCESSING"}
	}
	// The console shows these details with the action. Omit unknown details instead of sending 0.
	details := map[string]any{
		"locator":      id,
		"blockHeight":  outcome.Height,
		"blockTime":    outcome.Time,
		"fee":          "0", // The ledger has a currency, but charges no fees.
		"transactions": []string{id},
	}
	if outcome.Reason != "" {
		problem := refuse(422, "insufficient-funds", outcome.Reason, "")
		return map[string]any{"status": "FAILED", "problem": problem, "details": details}
	}
	return map[string]any{"status": "SUCCEEDED", "details": details}
}

var (
	gloVersion = regexp.MustCompile(`^0\.1\.[0-9]+$`)
	account    = regexp.MustCompile(`^t[0-9a-f]{32}$`)
	quantity   = regexp.MustCompile(`^(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$`)
)

// readTransfer reads a transfer from a generic ledger operation. An error contains the JSON Pointer of the wrong member.
func readTransfer(text json.RawMessage) (to string, amount string, err error) {
	var glo struct {
		Version string `json:"version"`
		Type    string `json:"type"`
		Meta    struct {
			Ledger map[string]json.RawMessage `json:"ledger"`
		} `json:"meta"`
		Options struct {
			Recipient struct {
				Service struct {
					Type  string `json:"type"`
					Value string `json:"value"`
				} `json:"lookup_service"`
				Resource string `json:"resource"`
			} `json:"recipient"`
			Amount string `json:"amount"`
		} `json:"options"`
	}
	if json.Unmarshal(text, &glo) != nil {
		return "", "", invalid("/glo", "must be a generic ledger operation")
	}
	recipient := glo.Options.Recipient
	switch {
	case !gloVersion.MatchString(glo.Version):
		return "", "", invalid("/glo/version", "must be 0.1.x")
	case glo.Type == "contract_call" || glo.Type == "contract_deploy":
		return "", "", refuse(422, "unsupported-operation", "This ledger supports only transfers.", "")
	case glo.Type != "transfer":
		return "", "", invalid("/glo/type", "must be an operation type")
	case glo.Meta.Ledger["tally"] != nil:
		// Refuses native content, because the ledger does not support any. Otherwise it would be ignored silently.
		return "", "", invalid("/glo/meta", "must be absent: this ledger has no native content")
	case recipient.Service.Type != "ledger" || recipient.Service.Value != "tally":
		return "", "", invalid("/glo/options/recipient", "must be an address on the ledger")
	case !account.MatchString(recipient.Resource):
		return "", "", invalid("/glo/options/recipient/resource", "must be an address")
	case !quantity.MatchString(glo.Options.Amount):
		return "", "", invalid("/glo/options/amount", "must be a whole number")
	}
	value := new(big.Int)
	if hexadecimal := glo.Options.Amount; len(hexadecimal) > 2 && hexadecimal[:2] == "0x" {
		value.SetString(hexadecimal[2:], 16)
	} else {
		value.SetString(glo.Options.Amount, 10)
	}
	return recipient.Resource, value.String(), nil
}

// secretOf returns the hash of a wallet's secret, which is stored instead of the secret.
func secretOf(parameters map[string]string, pointer string) ([]byte, error) {
	secret := parameters["walletPassword"]
	if len(secret) < 12 {
		return nil, invalid(pointer+"/walletPassword", "must have at least 12 characters")
	}
	sum := sha256.Sum256([]byte(secret))
	return sum[:], nil
}
