// @ts-check
// Runs the kit's ledger with a block every BLOCK_SECONDS (default: 1), for `ledger-ops dev --plugin`. With the URL of a node
// and an address as arguments, funds the address instead.
import { coin } from '../src/networks.js';
import { openLedger } from './harness.js';

const [url, address] = process.argv.slice(2);
if (url === undefined) {
  const { ledger, node } = await openLedger({ coins: 0 });
  setInterval(() => ledger.mine(), Number(process.env.BLOCK_SECONDS ?? 1) * 1_000);
  console.log(node.url);
} else {
  // After this many blocks, the reward of the first one can be spent.
  const params = [coin.maturity + 1, address];
  const body = JSON.stringify({ jsonrpc: '1.0', id: 1, method: 'generatetoaddress', params });
  /** @type {any} */
  const answer = await (await fetch(url, { method: 'POST', body })).json();
  if (answer.error) throw new Error(answer.error.message);
}
