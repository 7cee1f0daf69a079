"""A remote plugin: the cloud wallet protocol over HTTP, with only Python's standard library.

    python3 plugin.py [port] [folder]
"""

import hmac
import json
import os
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import ed25519
from custody import Custody, read_master_key
from ledger import Ledger, encode, id_of, is_address, message_of

ROOT = "/v1/cloud-wallet"
LEDGER_ID = "acorn"
BODY_LIMIT = 16 * 2**20
# : Maximum bytes of an ignored body that are read: some clients read the response only after they have sent
# the body.
DROPPED_LIMIT = 2**16

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "package.json"), encoding="utf-8") as manifest:
    #: The plugin's version is the package's, which `npm version` changes.
    VERSION = json.load(manifest)["version"]

DESCRIPTION = {
    "name": "acorn",
    "technology": "acorn",
    "version": VERSION,
    "interfaceVersion": "0.1.0",
    "capabilities": {"operations": ["transfer"], "checks": False, "emulations": False},
    "ledgers": [LEDGER_ID],
    # Describes the technology. The server creates forms for ledgers, wallets and operations from it.
    "description": {
        "title": "Acorn",
        # Native content of operations. The server refuses members that are not listed here.
        "content": {"schema": {"type": "object", "additionalProperties": False}},
        "addresses": {"account": {"pattern": "^[0-9a-f]{64}$", "example": "a1" * 32}},
        "unit": {"symbol": "TOY", "decimals": 0},
    },
}


class Refusal(Exception):
    """Ends a request with a problem (RFC 9457). The request was not executed, and never will be."""

    def __init__(self, status, name, detail, pointer=None):
        super().__init__(detail)
        self.problem = {
            "type": f"urn:ledger-ops:problem:{name}",
            "title": name.replace("-", " "),
            "status": status,
            "detail": detail,
        }
        if pointer is not None:
            self.problem["errors"] = [{"pointer": pointer, "detail": detail}]


def invalid(pointer, detail):
    return Refusal(400, "invalid-request", f"{pointer} {detail}", pointer)


def require_text(value, pointer):
    if not isinstance(value, str) or value == "":
        raise invalid(pointer, "must be a string")
    return value


def require_secret(body, member):
    pointer = f"/{member}/walletPassword"
    parameters = body.get(member)
    secret = require_text(parameters.get("walletPassword") if isinstance(parameters, dict) else None, pointer)
    if len(secret) < 12:
        raise invalid(pointer, "must have at least 12 characters")
    return secret


def member(value, name):
    return value.get(name) if isinstance(value, dict) else None


def read_transfer(glo):
    """Reads `(recipient, amount)` from an operation. Refuses everything else with its position."""
    if not isinstance(glo, dict):
        raise invalid("/glo", "must be an object")
    if re.fullmatch(r"0\.1\.[0-9]+", str(glo.get("version"))) is None:
        raise invalid("/glo/version", "must be 0.1.x")
    if glo.get("type") in ("contract_call", "contract_deploy"):
        raise Refusal(422, "unsupported-operation", "This ledger supports only transfers.")
    if glo.get("type") != "transfer":
        raise invalid("/glo/type", "must be an operation type")
    if member(member(glo.get("meta"), "ledger"), "acorn") is not None:
        # Without this check, the content would be ignored silently.
        raise invalid("/glo/meta", "must be absent: this ledger has no native content")
    options = glo.get("options")
    recipient = member(options, "recipient")
    service = member(recipient, "lookup_service")
    if member(service, "type") != "ledger" or member(service, "value") != "acorn":
        raise invalid("/glo/options/recipient", "must be an address on the ledger")
    resource = member(recipient, "resource")
    if not is_address(resource):
        raise invalid("/glo/options/recipient/resource", "must be 64 lower-case hex digits")
    amount = str(member(options, "amount"))
    if re.fullmatch(r"[0-9]{1,39}", amount) is None:
        raise invalid("/glo/options/amount", "must be a whole number of at most 39 digits")
    return resource, str(int(amount))


class Plugin:
    def __init__(self, folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.lock = threading.Lock()
        self.ledger = Ledger(os.path.join(folder, "ledger.db"))
        master_key = read_master_key(os.path.join(folder, "master.key"))
        self.custody = Custody(os.path.join(folder, "plugin.db"), master_key)
        # Sends transactions that a crash left unsent.
        for tx_id, raw in self.custody.all_raw():
            if self.ledger.outcome(tx_id) is None:
                self.ledger.submit(raw)

    def describe(self, _body, _query):
        return 200, DESCRIPTION

    def create_wallet(self, body, _query):
        wallet_id = require_text(body.get("walletId"), "/walletId")
        secret = require_secret(body, "pluginParameters")
        if require_text(body.get("ledgerId"), "/ledgerId") != LEDGER_ID:
            raise Refusal(404, "not-found", "This plugin has no such ledger.", "/ledgerId")
        address = self.custody.address_of(wallet_id, secret)
        with self.lock:
            known = self.custody.wallet(wallet_id)
            if known is None:
                self.custody.add_wallet(wallet_id, address)
            elif known != address:
                raise Refusal(409, "already-exists", "The wallet already exists, with another secret.")
        return 201, {"walletAddress": address}

    def send(self, body, _query):
        action_id = require_text(body.get("actionId"), "/actionId")
        wallet_id = require_text(body.get("wallet"), "/wallet")
        secret = require_secret(body, "pluginParams")
        with self.lock:
            address = self.custody.wallet(wallet_id)
            if address is None:
                raise Refusal(404, "not-found", "This plugin has no such wallet.", "/wallet")
            if address != self.custody.address_of(wallet_id, secret):
                raise Refusal(403, "wrong-wallet-password", "The secret is not the secret of the wallet.")
            to, amount = read_transfer(body.get("glo"))
            transfer = {"from": address, "to": to, "amount": amount, "nonce": action_id}
            content = json.dumps(transfer)
            known = self.custody.action(action_id)
            if known is not None and known[0] != content:
                raise Refusal(409, "already-exists", "The action already exists, with another content.", "/actionId")
            if known is None:
                signature = ed25519.sign(self.custody.seed_of(wallet_id, secret), message_of(transfer))
                raw = encode(transfer, signature)
                self.custody.add_action(action_id, content, id_of(raw), raw)
                self.ledger.submit(raw)
            tx_id = id_of(raw) if known is None else known[1]
        status, problem = self.end_of(tx_id)
        return 200, {"txId": tx_id, "status": status, "problem": problem}

    def statuses(self, _body, query):
        ids = [one for value in query.get("txId", []) for one in value.split(",")]
        if not ids:
            raise Refusal(400, "invalid-request", "txId is required", "txId")
        return 200, [self.status_of(any_id) for any_id in ids]

    def status_of(self, any_id):
        with self.lock:
            tx_id = self.custody.tx_id_of(any_id)
        if tx_id is None:
            unknown = Refusal(404, "not-found", "This plugin has no such transaction.").problem
            return {"details": None, "status": "FAILED", "problem": unknown}
        status, problem = self.end_of(tx_id)
        details = None if status == "PROCESSING" else self.details_of(tx_id)
        return {"details": details, "status": status, "problem": problem}

    def details_of(self, tx_id):
        """Returns the ledger's data about a final transaction, for display. Omits unknown values: 0 would be wrong."""
        height, time = self.ledger.block_of(tx_id)
        return {
            "locator": tx_id,
            "blockHeight": height,
            "blockTime": time,
            "fee": "0",  # The ledger has a currency, but charges no fees.
            "transactions": [tx_id],
        }

    def end_of(self, tx_id):
        """Returns `(status, problem)` of a transaction. The ledger's outcomes are final."""
        status, failure = self.ledger.outcome(tx_id) or ("waiting", None)
        if status == "failed":
            return "FAILED", Refusal(422, "insufficient-funds", failure).problem
        return ("SUCCEEDED" if status == "succeeded" else "PROCESSING"), None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    plugin = None
    # The token that the server sends with each request. If None, no token is required.
    bearer = None

    def routes(self):
        return {
            f"GET {ROOT}": self.plugin.describe,
            f"POST {ROOT}/wallets": self.plugin.create_wallet,
            f"POST {ROOT}/transactions": self.plugin.send,
            f"GET {ROOT}/transactions": self.plugin.statuses,
        }

    def handle_request(self):
        url = urlsplit(self.path)
        try:
            self.require_bearer()
            body = self.read_body()
            operation = self.routes().get(f"{self.command} {url.path}")
            if operation is None:
                raise Refusal(404, "not-found", "This path does not exist.")
            status, answer = operation(self.parse(body) if self.command == "POST" else {}, parse_qs(url.query))
            self.reply(status, "application/json", answer)
        except Refusal as refusal:
            self.reply(refusal.problem["status"], "application/problem+json", refusal.problem)
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except Exception:
            # The error message is not returned, because it could contain a secret.
            self.log_error("%s %s failed", self.command, url.path)
            problem = Refusal(500, "adapter-fault", "The plugin has an internal error.").problem
            self.reply(500, "application/problem+json", problem)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

    def require_bearer(self):
        if self.bearer is None:
            return
        shown = self.headers.get("authorization", "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(shown, f"Bearer {self.bearer}".encode()):
            self.drop_body(DROPPED_LIMIT)
            raise Refusal(401, "access-token-invalid", "The request must contain the server's bearer token.")

    def read_body(self):
        if "transfer-encoding" in self.headers:
            self.close_connection = True
            raise Refusal(411, "invalid-request", "The request must have a content-length.")
        length = self.headers.get("content-length", "0")
        if not length.isdecimal():
            self.close_connection = True
            raise Refusal(400, "invalid-request", "The content-length must be a number.")
        left = int(length)
        if left <= BODY_LIMIT:
            return self.rfile.read(left)
        self.drop_body(4 * BODY_LIMIT)
        raise Refusal(413, "payload-too-large", "The body has more than 16 MiB.")

    def drop_body(self, most):
        self.close_connection = True
        length = self.headers.get("content-length", "0")
        left = min(int(length), most) if length.isdecimal() else 0
        while left > 0 and (dropped := self.rfile.read(min(left, 65_536))):
            left -= len(dropped)

    def parse(self, body):
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise Refusal(400, "invalid-json", "The body must be a JSON object.")
        return value

    def reply(self, status, content_type, answer):
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        if self.close_connection:
            # Otherwise, a client could reuse the connection for its next request.
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, form, *values):
        # Logs only failures.
        if form.endswith("failed"):
            print(form % values, file=sys.stderr, flush=True)


def read_bearer():
    """Reads the server's token from the file BEARER_TOKEN_FILE. None if no token is required."""
    path = os.environ.get("BEARER_TOKEN_FILE", "")
    if path == "":
        return None
    with open(path, encoding="utf-8") as file:
        token = file.read().strip()
    if token == "":
        sys.exit(f"BEARER_TOKEN_FILE: {path} is empty.")
    return token


def main(port=8080, folder="data"):
    Handler.bearer = read_bearer()
    Handler.plugin = Plugin(folder)
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main(*sys.argv[1:])
