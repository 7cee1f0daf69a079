"""Durable storage: wallets, and actions with their signed bytes.

No key is stored. A wallet's key is derived for each use from this plugin's master key and the wallet's secret, which the
server sends with each request. Neither is enough on its own.
"""

import hashlib
import hmac
import json
import os
import sqlite3

import ed25519


def read_master_key(path):
    """Reads the plugin's master key, and creates it at the first start. Without it no wallet can be used: keep a copy."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(os.urandom(32))
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        pass
    with open(path, "rb") as file:
        key = file.read()
    if len(key) != 32:
        raise SystemExit(f"{path} does not contain a key of 32 bytes.")
    return key


class Custody:
    """Callers of every method must hold the plugin's lock."""

    def __init__(self, path, master_key):
        self.master_key = master_key
        self.database = sqlite3.connect(path, check_same_thread=False)
        self.database.executescript(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            CREATE TABLE IF NOT EXISTS wallet (id TEXT PRIMARY KEY, address TEXT NOT NULL);
            CREATE TABLE IF NOT EXISTS action (
              id TEXT PRIMARY KEY, content TEXT NOT NULL, tx_id TEXT NOT NULL UNIQUE, raw BLOB NOT NULL
            );
            """
        )

    def seed_of(self, wallet_id, secret):
        """Derives the wallet's ed25519 seed."""
        context = json.dumps(["acorn wallet", wallet_id, secret]).encode()
        return hmac.new(self.master_key, context, hashlib.sha256).digest()

    def address_of(self, wallet_id, secret):
        """Returns the address derived from this secret. It equals the wallet's address if the secret is correct."""
        return ed25519.public_key(self.seed_of(wallet_id, secret)).hex()

    def wallet(self, wallet_id):
        """Returns the wallet's address, or None if the wallet does not exist."""
        found = self.database.execute("SELECT address FROM wallet WHERE id = ?", (wallet_id,)).fetchone()
        return None if found is None else found[0]

    def add_wallet(self, wallet_id, address):
        with self.database:
            self.database.execute("INSERT INTO wallet (id, address) VALUES (?, ?)", (wallet_id, address))

    def action(self, action_id):
        """Returns `(content, tx_id)` of an action, or None if the action does not exist."""
        found = self.database.execute("SELECT content, tx_id FROM action WHERE id = ?", (action_id,))
        return found.fetchone()

    def add_action(self, action_id, content, tx_id, raw):
        """Stores an action durably, before it is sent."""
        row = (action_id, content, tx_id, raw)
        with self.database:
            self.database.execute("INSERT INTO action (id, content, tx_id, raw) VALUES (?, ?, ?, ?)", row)

    def tx_id_of(self, any_id):
        """Returns the id of a transaction, given that id or its action's id; None if the id is unknown."""
        query = "SELECT tx_id FROM action WHERE tx_id = ? OR id = ?"
        found = self.database.execute(query, (any_id, any_id)).fetchone()
        return None if found is None else found[0]

    def all_raw(self):
        """Returns `(tx_id, raw)` of every action, oldest first."""
        return self.database.execute("SELECT tx_id, raw FROM action ORDER BY rowid").fetchall()
