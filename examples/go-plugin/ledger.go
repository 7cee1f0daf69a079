package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"sync"
	"time"
)

// startBalance is every account's balance at the start.
const startBalance = 1_000

// blockTime is the time between two blocks.
const blockTime = 20 * time.Millisecond

// A Transfer is a transaction of the ledger. Its sender signs all members except the signature.
type Transfer struct {
	PublicKey []byte `json:"publicKey"`
	To        string `json:"to"`
	Amount    string `json:"amount"`
	// Reference distinguishes transfers with the same content.
	Reference string `json:"reference"`
	Signature []byte `json:"signature"`
}

// addressOf returns the address of a public key.
func addressOf(publicKey []byte) string {
	sum := sha256.Sum256(publicKey)
	return "t" + hex.EncodeToString(sum[:16])
}

func (t Transfer) message() []byte {
	t.Signature = nil
	text, _ := json.Marshal(t) // Strings and bytes can always be encoded.
	return text
}

// ID is the transaction's id. The ledger executes one transaction per id.
func (t Transfer) ID() string {
	sum := sha256.Sum256(t.message())
	return hex.EncodeToString(sum[:])
}

// An Outcome is the result of a transaction in a block. Reason is empty if it was executed.
type Outcome struct {
	ID     string `json:"id"`
	Height int    `json:"height"`
	// Time is the time of the block in milliseconds since 1970.
	Time   int64  `json:"time"`
	Reason string `json:"reason,omitempty"`
}

// A block is one line of the ledger's journal.
type block struct {
	Transfers []Transfer `json:"transfers"`
	Outcomes  []Outcome  `json:"outcomes"`
}

// A Ledger executes signed transfers, in blocks that are never undone.
type Ledger struct {
	mutex    sync.Mutex
	journal  *Journal
	height   int
	balances map[string]*big.Int
	outcomes map[string]Outcome
	waiting  map[string]Transfer
}

// ReadBalance reads an account's balance from the blocks of a journal. Another process may write the journal meanwhile.
func ReadBalance(file, account string) (*big.Int, error) {
	blocks, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	ledger := newLedger()
	// Ignores a last line without an end, because it is being written.
	complete := blocks[:bytes.LastIndexByte(blocks, '\n')+1]
	for _, line := range bytes.SplitAfter(complete, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		if err := ledger.read(line); err != nil {
			return nil, err
		}
	}
	return ledger.balanceOf(account), nil
}

func newLedger() *Ledger {
	return &Ledger{
		balances: map[string]*big.Int{},
		outcomes: map[string]Outcome{},
		waiting:  map[string]Transfer{},
	}
}

func (l *Ledger) read(line []byte) error {
	var one block
	if err := json.Unmarshal(line, &one); err != nil {
		return err
	}
	l.apply(one)
	return nil
}

// OpenLedger reads the blocks of a journal.
func OpenLedger(file string) (*Ledger, error) {
	ledger := newLedger()
	journal, err := OpenJournal(file, ledger.read)
	ledger.journal = journal
	return ledger, err
}

// Submit accepts a signed transfer for the next block. Submitting it again has no effect.
func (l *Ledger) Submit(t Transfer) error {
	if len(t.PublicKey) != ed25519.PublicKeySize || !ed25519.Verify(t.PublicKey, t.message(), t.Signature) {
		return fmt.Errorf("the signature is not valid")
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if _, done := l.outcomes[t.ID()]; !done {
		l.waiting[t.ID()] = t
	}
	return nil
}

// Find returns the outcome of a transaction, if it is in a block.
func (l *Ledger) Find(id string) (Outcome, bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	outcome, found := l.outcomes[id]
	return outcome, found
}

// MakeBlock executes the waiting transfers. It stores the block before Find returns its outcomes.
func (l *Ledger) MakeBlock() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.waiting) == 0 {
		return nil
	}
	var next block
	spent := map[string]*big.Int{}
	for id, t := range l.waiting {
		from := addressOf(t.PublicKey)
		amount, _ := new(big.Int).SetString(t.Amount, 10)
		before := spent[from]
		if before == nil {
			before = new(big.Int)
		}
		outcome := Outcome{ID: id, Height: l.height + 1, Time: time.Now().UnixMilli()}
		left := new(big.Int).Sub(l.balanceOf(from), before)
		if amount == nil || amount.Sign() < 0 || left.Cmp(amount) < 0 {
			outcome.Reason = fmt.Sprintf("The account holds %s, but the transfer needs %s.", left, t.Amount)
		} else {
			spent[from] = new(big.Int).Add(before, amount)
		}
		next.Transfers = append(next.Transfers, t)
		next.Outcomes = append(next.Outcomes, outcome)
	}
	if err := l.journal.Append(next); err != nil {
		return err
	}
	l.apply(next)
	return nil
}

func (l *Ledger) balanceOf(address string) *big.Int {
	if balance, found := l.balances[address]; found {
		return balance
	}
	return big.NewInt(startBalance)
}

func (l *Ledger) apply(next block) {
	l.height++
	for index, outcome := range next.Outcomes {
		t := next.Transfers[index]
		delete(l.waiting, outcome.ID)
		l.outcomes[outcome.ID] = outcome
		if outcome.Reason != "" {
			continue
		}
		amount, _ := new(big.Int).SetString(t.Amount, 10)
		from := addressOf(t.PublicKey)
		l.balances[from] = new(big.Int).Sub(l.balanceOf(from), amount)
		l.balances[t.To] = new(big.Int).Add(l.balanceOf(t.To), amount)
	}
}
