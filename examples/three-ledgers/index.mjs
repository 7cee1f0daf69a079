// Six operations on three ledgers, sent at once, each after the one before it, by HTTP calls alone.
//
//   npm start                                # in one terminal
//   node examples/three-ledgers/index.mjs    # in another; takes the path of dev.json
//
// Prints each change as the service tells it, and at its end a line of JSON with what came of it.
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const dev = JSON.parse(await readFile(process.argv[2] ?? 'data/dev.json', 'utf8'));
const ledgerOf = (technology) => dev.ledgers.find((ledger) => ledger.technology === technology);
const walletsOn = ({ ledgerId }) => dev.wallets.filter((wallet) => wallet.ledgerId === ledgerId);
const fabric = ledgerOf('hyperledger-fabric');
const [alice, bob] = walletsOn(ledgerOf('ethereum'));
const [carol, dave] = walletsOn(fabric);
const [erin, frank] = walletsOn(ledgerOf('solana'));
const [{ templateId, version: tag }] = dev.templates;

const token = await fetch(`${dev.baseUrl}/v1/auth/token`, {
  method: 'POST',
  headers: { ApplicationToken: dev.applicationToken },
  body: new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: dev.clientId,
    service_account: dev.serviceAccount,
    client_secret: dev.clientSecret,
  }),
});
if (!token.ok) throw new Error(`No access token: ${token.status} ${await token.text()}`);
const { access_token } = await token.json();
const headers = { ApplicationToken: dev.applicationToken, Authorization: `Bearer ${access_token}` };

/** Calls the service; ends with what it says when it refuses. */
async function call(method, path, body) {
  const response = await fetch(dev.baseUrl + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) {
    const { detail } = await response.json();
    throw new Error(`${method} ${path}: ${response.status} ${detail}`);
  }
  return response;
}

// Operations that belong together share an intent. Its events are asked for before there is anything to tell.
const intent = randomUUID();
const events = await call('GET', `/v1/ledger-ops/events?intent=${intent}`);

/** Sends an operation of a wallet that waits for others. Answers the action's id, when it is safe on disk. */
async function send({ walletId, walletPassword }, type, options, dependencies) {
  const glo = { version: '0.1.0', type, options };
  const answer = await call('POST', '/v1/ledger-ops/send', {
    ...{ walletId, walletPassword, intent, dependencies, glo },
  });
  return (await answer.json()).actionId;
}

const service = (resource) => ({ lookup_service: { type: 'service', value: 'service' }, resource });
const onFabric = (resource) => ({
  lookup_service: { type: 'ledger', value: 'hyperledger-fabric' },
  resource,
});
const asset = `asset-${randomBytes(4).toString('hex')}`;

const deployed = await send(
  alice,
  'contract_deploy',
  { contract_source: service(`${templateId}:${tag}`), args: ['Three Ledgers', 'THREE', '1000'] },
  [],
);
// The contract has no address yet: it is what the first action deploys.
const called = await send(
  alice,
  'contract_call',
  {
    contract_instance: service(`action:${deployed}`),
    ...{ method_name: 'transfer', args: [bob.walletAddress, '25'] },
  },
  [deployed],
);
const created = await send(
  carol,
  'contract_call',
  {
    contract_instance: onFabric(`${fabric.channel}/${fabric.chaincodes[0]}`),
    ...{ method_name: 'CreateAsset', args: [asset, 'blue', '5', carol.walletId, '300'] },
  },
  [called],
);
const paid = await send(carol, 'transfer', { recipient: service(dave.walletId), amount: '7' }, [created]);
const settled = await send(erin, 'transfer', { recipient: service(frank.walletId), amount: '1000000' }, [
  paid,
]);
const thanked = await send(alice, 'transfer', { recipient: service(bob.walletId), amount: '1000000000000' }, [
  settled,
]);
const names = new Map([
  [deployed, 'Ethereum: deploy a token'],
  [called, 'Ethereum: call it'],
  [created, `Fabric:   create ${asset}`],
  [paid, 'Fabric:   transfer tokens'],
  [settled, 'Solana:   transfer SOL'],
  [thanked, 'Ethereum: transfer ether'],
]);

/** The actions of the stream's events (text/event-stream), as they come. */
async function* actionsOf(stream) {
  let text = '';
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const messages = text.split('\n\n');
    text = messages.pop();
    for (const message of messages) {
      const data = message.split('\n').filter((line) => line.startsWith('data:'));
      if (data.length > 0) yield JSON.parse(data.map((line) => line.slice(5)).join('\n'));
    }
  }
}

const ends = new Map();
for await (const action of actionsOf(events.body)) {
  const { actionId, status, pending, locator, problem } = action;
  console.log(`${names.get(actionId)}: ${status} ${pending?.detail ?? problem?.detail ?? locator}`);
  if (status !== 'PENDING') ends.set(actionId, action);
  if (ends.size === names.size) break;
}
const results = [...names.keys()].map((id) => {
  const { status, ledgerId, locator, contractAddress } = ends.get(id) ?? { status: 'PENDING' };
  return { actionId: id, status, ledgerId, locator, contractAddress };
});
console.log(JSON.stringify({ intent, asset, actions: results }));
if (results.some(({ status }) => status !== 'SUCCEEDED')) process.exitCode = 1;
