// A remote plugin in one file. It uses only node:http and the published protocol (`@ledger-ops/cloud-wallet/openapi.json`). Its
// toy chain in memory creates a block every 20 ms. Keys and chain are lost when the process exits. A real plugin must store
// wallets and accepted actions permanently.
import { createHash, generateKeyPairSync, sign, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const root = '/v1/cloud-wallet';
const bodyLimit = 16 * 2 ** 20;
const blockTime = 20;
const hash = (text) => createHash('sha256').update(text).digest();
const hex = (bytes) => `0x${Buffer.from(bytes).toString('hex')}`;

/** Ends a request with a problem (RFC 9457). */
class Refusal extends Error {
  constructor(status, name, detail, pointer) {
    super(detail);
    const errors = pointer === undefined ? {} : { errors: [{ pointer, detail }] };
    const title = name.replaceAll('-', ' ');
    this.problem = { type: `urn:ledger-ops:problem:${name}`, title, status, detail, ...errors };
  }
}

/** The toy chain: every account starts with 1,000 units, and a transfer is final in the next block. */
class Chain {
  balances = new Map();
  waiting = [];
  height = 0;

  balanceOf(address) {
    return this.balances.get(address) ?? 1_000n;
  }

  makeBlock() {
    this.height += 1;
    const block = { blockHeight: this.height, blockTime: Date.now() };
    for (const action of this.waiting.splice(0)) {
      const { from, to, amount } = action.transfer;
      // The chain charges no fees, so 0 is correct. A value that a chain does not report must be omitted instead.
      action.details = { locator: action.txId, ...block, fee: '0', transactions: [action.txId] };
      if (this.balanceOf(from) < amount) {
        action.status = 'FAILED';
        const detail = `The account holds ${this.balanceOf(from)}, but the transfer needs ${amount}.`;
        action.problem = new Refusal(422, 'insufficient-funds', detail).problem;
        continue;
      }
      this.balances.set(from, this.balanceOf(from) - amount);
      this.balances.set(to, this.balanceOf(to) + amount);
      action.status = 'SUCCEEDED';
    }
  }
}

/** Reads a transfer from a GLO. Refuses anything else, with the JSON pointer of the wrong member. */
function readTransfer(glo) {
  const invalid = (pointer, detail) => new Refusal(400, 'invalid-request', `${pointer} ${detail}`, pointer);
  if (typeof glo !== 'object' || glo === null) throw invalid('/glo', 'must be an object');
  if (!/^0\.1\.\d+$/.test(glo.version ?? '')) throw invalid('/glo/version', 'must be 0.1.x');
  if (['contract_call', 'contract_deploy'].includes(glo.type)) {
    throw new Refusal(422, 'unsupported-operation', 'This ledger supports only transfers.');
  }
  if (glo.type !== 'transfer') throw invalid('/glo/type', 'must be an operation type');
  // Refuses native content. Without this check, it would be ignored silently.
  if (glo.meta?.ledger?.ethereum !== undefined) {
    throw invalid('/glo/meta', 'must be absent: this ledger has no native content');
  }
  const { recipient, amount } = glo.options ?? {};
  if (recipient?.lookup_service?.type !== 'ledger' || recipient.lookup_service.value !== 'ethereum') {
    throw invalid('/glo/options/recipient', 'must be an address on the ledger');
  }
  if (!/^0x[0-9a-f]{40}$/i.test(recipient.resource ?? '')) {
    throw invalid('/glo/options/recipient/resource', 'must be an address');
  }
  if (!/^(0x[0-9a-f]+|\d+)$/i.test(String(amount ?? ''))) {
    throw invalid('/glo/options/amount', 'must be a whole number');
  }
  return { to: recipient.resource.toLowerCase(), amount: BigInt(amount) };
}

function requireText(value, pointer) {
  if (typeof value === 'string' && value !== '') return value;
  throw new Refusal(400, 'invalid-request', `${pointer} must be a non-empty string`, pointer);
}

function requireSecret(parameters, member) {
  const pointer = `/${member}/walletPassword`;
  const secret = requireText(parameters?.walletPassword, pointer);
  if (secret.length >= 12) return secret;
  throw new Refusal(400, 'invalid-request', `${pointer} must have at least 12 characters`, pointer);
}

/** Starts the plugin. Returns its URL and a function that stops it. */
export async function start(port = 0) {
  const chain = new Chain();
  const wallets = new Map();
  const actions = new Map();
  const byTxId = new Map();
  const clock = setInterval(() => chain.makeBlock(), blockTime);

  const operations = {
    [`GET ${root}`]: () => [
      200,
      {
        name: 'toy',
        technology: 'ethereum',
        version: '0.1.0',
        interfaceVersion: '0.1.0',
        capabilities: { operations: ['transfer'], checks: false, emulations: false },
        ledgers: ['toy'],
      },
    ],

    [`POST ${root}/wallets`]: (body) => {
      const walletId = requireText(body.walletId, '/walletId');
      const secret = hash(requireSecret(body.pluginParameters, 'pluginParameters'));
      if (requireText(body.ledgerId, '/ledgerId') !== 'toy') {
        throw new Refusal(404, 'not-found', 'The plugin does not have this ledger.', '/ledgerId');
      }
      const existing = wallets.get(walletId);
      if (existing !== undefined && !timingSafeEqual(existing.secret, secret)) {
        throw new Refusal(409, 'already-exists', 'The wallet already exists with another secret.');
      }
      if (existing !== undefined) return [201, { walletAddress: existing.address }];
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const address = hex(hash(publicKey.export({ format: 'der', type: 'spki' })).subarray(0, 20));
      wallets.set(walletId, { secret, privateKey, address });
      return [201, { walletAddress: address }];
    },

    [`POST ${root}/transactions`]: (body) => {
      const actionId = requireText(body.actionId, '/actionId');
      const wallet = wallets.get(requireText(body.wallet, '/wallet'));
      const secret = hash(requireSecret(body.pluginParams, 'pluginParams'));
      if (wallet === undefined)
        throw new Refusal(404, 'not-found', 'The plugin does not have this wallet.', '/wallet');
      if (!timingSafeEqual(wallet.secret, secret)) {
        throw new Refusal(403, 'wrong-wallet-password', 'This is not the wallet’s secret.');
      }
      const { to, amount } = readTransfer(body.glo);
      const content = JSON.stringify([wallet.address, to, `${amount}`]);
      const known = actions.get(actionId);
      if (known !== undefined && known.content !== content) {
        throw new Refusal(
          409,
          'already-exists',
          'The action already exists with different content.',
          '/actionId',
        );
      }
      if (known !== undefined)
        return [200, { txId: known.txId, status: known.status, problem: known.problem }];
      const signature = sign(null, Buffer.from(`${actionId} ${content}`), wallet.privateKey);
      const transfer = { from: wallet.address, to, amount };
      const state = { status: 'PROCESSING', problem: null, details: null };
      const action = { content, txId: hex(hash(signature)), transfer, ...state };
      // A real plugin stores the action here, before it sends anything.
      actions.set(actionId, action);
      byTxId.set(action.txId, action);
      chain.waiting.push(action);
      return [200, { txId: action.txId, status: action.status, problem: null }];
    },

    [`GET ${root}/transactions`]: (_, query) => {
      const txIds = query.getAll('txId').flatMap((value) => value.split(','));
      if (txIds.length === 0) throw new Refusal(400, 'invalid-request', 'txId is required', 'txId');
      const unknown = {
        details: null,
        status: 'FAILED',
        problem: new Refusal(404, 'not-found', 'The plugin does not have this transaction.').problem,
      };
      const items = txIds.map((txId) => {
        const { details, status, problem } = byTxId.get(txId) ?? actions.get(txId) ?? unknown;
        return { details, problem, status };
      });
      return [200, items];
    },
  };

  const server = createServer(async (request, response) => {
    const reply = (status, type, body) => {
      response.writeHead(status, { 'content-type': type });
      response.end(JSON.stringify(body));
    };
    try {
      const url = new URL(request.url ?? '/', 'http://plugin.invalid');
      const run = operations[`${request.method} ${url.pathname}`];
      if (run === undefined) throw new Refusal(404, 'not-found', 'There is no such operation.');
      const body = request.method === 'POST' ? await readBody(request) : {};
      const [status, answer] = run(body, url.searchParams);
      reply(status, 'application/json', answer);
    } catch (error) {
      const internal = new Refusal(500, 'adapter-fault', 'The plugin has a bug.');
      const { problem } = error instanceof Refusal ? error : internal;
      reply(problem.status, 'application/problem+json', problem);
    }
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: async () => {
      clearInterval(clock);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    // Discards the rest of a body that is too long, so that the client gets the response.
    if (length <= bodyLimit) chunks.push(chunk);
  }
  if (length > bodyLimit) throw new Refusal(413, 'payload-too-large', 'The body must have at most 16 MiB.');
  try {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch {
    // Refused below.
  }
  throw new Refusal(400, 'invalid-json', 'The body must be a JSON object.');
}

// `node plugin.mjs 8080`
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url } = await start(Number(process.argv[2] ?? 8080));
  console.log(url);
}
