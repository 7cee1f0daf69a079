"""A toy ledger in a SQLite file. A submitted transaction is in a final block after a tenth of a second.

Replace it with the client of your ledger.
"""

import hashlib
import json
import sqlite3
import threading
import time

import ed25519

BLOCK_TIME = 0.1
#: Balance of an account before its first transfer.
GIFT = 1_000


def is_address(text):
    """Returns whether the string is an address: an ed25519 public key in lower-case hex."""
    return isinstance(text, str) and len(text) == 64 and all(digit in "0123456789abcdef" for digit in text)


def message_of(transfer):
    """Returns the message that the wallet's key signs."""
    return json.dumps([transfer[name] for name in ("from", "to", "amount", "nonce")]).encode()


def encode(transfer, signature):
    """Returns the complete signed transaction."""
    members = {name: transfer[name] for name in ("from", "to", "amount", "nonce")}
    return json.dumps({**members, "signature": signature.hex()}).encode()


def id_of(raw):
    """Returns the transaction's id. It follows from the bytes, so it is known before they are sent."""
    return hashlib.sha256(raw).hexdigest()


class Ledger:
    def __init__(self, path):
        self.lock = threading.Lock()
        self.database = sqlite3.connect(path, check_same_thread=False)
        self.database.executescript(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE IF NOT EXISTS account (address TEXT PRIMARY KEY, balance TEXT NOT NULL);
            CREATE TABLE IF NOT EXISTS entry (
              id TEXT PRIMARY KEY, raw BLOB NOT NULL, status TEXT NOT NULL, failure TEXT, height INTEGER, time INTEGER
            );
            """
        )
        threading.Thread(target=self._make_blocks, daemon=True).start()

    def submit(self, raw):
        """Accepts a transaction; repeating it has no effect. Refuses one that its sender did not sign."""
        transfer = json.loads(raw)
        signature = bytes.fromhex(transfer["signature"])
        if encode(transfer, signature) != raw:
            raise ValueError("The transaction is not in the signed notation.")
        if not ed25519.verify(bytes.fromhex(transfer["from"]), message_of(transfer), signature):
            raise ValueError("The signature is not the sender's.")
        with self.lock, self.database:
            entry = (id_of(raw), raw, "waiting")
            self.database.execute("INSERT OR IGNORE INTO entry (id, raw, status) VALUES (?, ?, ?)", entry)

    def outcome(self, tx_id):
        """Returns `(status, failure)`; the status is waiting, succeeded or failed. None if the ledger does not know the id."""
        with self.lock:
            found = self.database.execute("SELECT status, failure FROM entry WHERE id = ?", (tx_id,))
            return found.fetchone()

    def block_of(self, tx_id):
        """Returns `(height, time)` of the block with a final transaction, the time in milliseconds since 1970."""
        with self.lock:
            found = self.database.execute("SELECT height, time FROM entry WHERE id = ?", (tx_id,))
            return found.fetchone()

    def _make_blocks(self):
        pause = threading.Event()
        while not pause.wait(BLOCK_TIME):
            with self.lock, self.database:
                waiting = self.database.execute("SELECT id, raw FROM entry WHERE status = 'waiting' ORDER BY rowid")
                block = (self._next_height(), time.time_ns() // 1_000_000)
                for tx_id, raw in waiting.fetchall():
                    failure = self._move(json.loads(raw))
                    status = "succeeded" if failure is None else "failed"
                    self.database.execute(
                        "UPDATE entry SET status = ?, failure = ?, height = ?, time = ? WHERE id = ?",
                        (status, failure, *block, tx_id),
                    )

    def _next_height(self):
        (last,) = self.database.execute("SELECT max(height) FROM entry").fetchone()
        return 1 if last is None else last + 1

    def _move(self, transfer):
        amount, held = int(transfer["amount"]), self._balance(transfer["from"])
        if held < amount:
            return f"The account holds {held}, but the transfer needs {amount}."
        self._set_balance(transfer["from"], held - amount)
        self._set_balance(transfer["to"], self._balance(transfer["to"]) + amount)
        return None

    def _balance(self, address):
        found = self.database.execute("SELECT balance FROM account WHERE address = ?", (address,)).fetchone()
        return GIFT if found is None else int(found[0])

    def _set_balance(self, address, balance):
        row = (address, str(balance))
        self.database.execute("INSERT OR REPLACE INTO account (address, balance) VALUES (?, ?)", row)
