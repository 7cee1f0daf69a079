// Processor time of each step of a plain transfer, without a node. Run with `pnpm bench`.
import { createTestSigner } from '@ledger-ops/adapter-kit/conformance';
import { keccak256 } from 'ethers';
import { chooseFee } from '../src/gas/fees.ts';
import { planToJson } from '../src/plan.ts';
import { advanceOne, prepareOne } from '../src/prepare.ts';
import { readProperties } from '../src/properties.ts';

const ledger = { ledgerId: 'bench', technology: 'ethereum', properties: {}, nodes: [] };
const properties = readProperties(ledger);
const signer = createTestSigner('secp256k1', new Uint8Array(32).fill(7));
const wallet = { address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' };
const head = { height: 1, hash: '', parentHash: '', timestamp: 0, gasLimit: 30_000_000n, baseFee: 10n ** 9n };
const view = {
  chainId: 31337n,
  mode: 'eip1559',
  priorityFee: 10n ** 9n,
  gasPrice: 0n,
  least: 0n,
  transferGas: 'fixed',
} as const;
const chosen = chooseFee({ ...view, head: { ...head, transactions: undefined } }, {}, undefined, 'check');
const plan = planToJson({
  type: 'transfer',
  chainId: 31337n,
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  value: 10n ** 18n,
  data: '0x',
  accessList: undefined,
  gas: 21_000n,
  fee: 'fee' in chosen ? chosen.fee : undefined,
  given: {},
  errors: [],
});

function measure(name: string, runs: number, run: (index: number) => void): void {
  for (let index = 0; index < runs / 4; index += 1) run(index);
  const start = performance.now();
  for (let index = 0; index < runs; index += 1) run(index);
  console.log(`${name.padEnd(24)} ${((performance.now() - start) * 1000) / runs} µs`);
}

const request = (sequence: number) => ({ actionId: 'a', wallet, plan, sequence: BigInt(sequence) });
const signature = (() => {
  const prepared = prepareOne(request(1), properties, 'fixed');
  const round = prepared.status === 'prepared' ? prepared.attempts[0]?.round : undefined;
  if (round?.done !== false) throw new TypeError('A transfer needs a signature.');
  return round.requests.map(signer.sign);
})();
measure('keccak of 110 bytes', 20_000, () => keccak256(new Uint8Array(110)));
measure('prepare', 10_000, (index) => prepareOne(request(index), properties, 'fixed'));
measure('prepare and advance', 10_000, (index) => {
  const prepared = prepareOne(request(index), properties, 'fixed');
  const round = prepared.status === 'prepared' ? prepared.attempts[0]?.round : undefined;
  if (round?.done === false) advanceOne({ state: round.state, signatures: signature });
});
