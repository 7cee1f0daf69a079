import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, ethereumWith, execute, keyOf, ledgerOf, openSession, type TestSession } from './stage.ts';

const other = '0x000000000000000000000000000000000000bEEF';
const at = '0x000000000000000000000000000000000000c0de';
const abi = JSON.stringify([
  'function transfer(address to, uint256 value) returns (bool)',
  'function name() view returns (string)',
  'function both() view returns (string label, uint256 count)',
  'error Odd(string why)',
]);

let node: Anvil;
let actor: TestSession;

beforeAll(async () => {
  node = await startAnvil();
  actor = await openSession(ledgerOf([node.url]), keyOf(node));
});
afterAll(async () => {
  await actor?.session.close();
  await node?.stop();
});

const word = (hex: string) => hex.padStart(64, '0');
const left = (text: string) => Buffer.from(text, 'latin1').toString('hex').padEnd(64, '0');
/** `bytes` or `string` as a return value; each character is one byte. */
const dynamic = (text: string) => `0x${word('20')}${word(text.length.toString(16))}${left(text)}`;

/** Code that returns these bytes for every call, or reverts with them. */
function answering(data: string, opcode: 'f3' | 'fd' = 'f3'): string {
  const hex = data.slice(2);
  const size = (hex.length / 2).toString(16).padStart(4, '0');
  // CODECOPY of the bytes after these 15, then RETURN or REVERT.
  return `0x61${size}61000f60003961${size}6000${opcode}${hex}`;
}

async function emulate(method: string, args: string[], code: string, address = at) {
  await node.rpc('anvil_setCode', [address, code]);
  const operation = call(address, method, args, { contract: { address, interface: abi } });
  return { operation, answer: actor.session.emulate({ wallet: actor.wallet, operation }) };
}

test('emulating a transfer warns if the token returns nothing, because the sent transaction would succeed', async () => {
  const { operation, answer } = await emulate('transfer', [other, '1'], '0x00');
  expect(await answer).toMatchObject({
    ...{ result: null, figures: { returned: '0x', gas: expect.any(String) } },
    warnings: [expect.stringMatching(/^transfer\(address,uint256\) returned nothing, .*declares bool/)],
  });
  expect(await execute(actor, operation)).toMatchObject({ status: 'succeeded' });
});

test('emulating a transfer warns if the token returns false instead of reverting', async () => {
  const { answer } = await emulate('transfer', [other, '1'], answering(`0x${word('0')}`));
  expect(await answer).toMatchObject({
    result: false,
    warnings: [expect.stringContaining('returned false without reverting')],
  });
  const well = await emulate('transfer', [other, '1'], answering(`0x${word('1')}`));
  expect(await well.answer).not.toHaveProperty('warnings');
});

test.each([
  ['shorter than a word', 'transfer', [other, '1'], '0x01'],
  ['bytes32 for a string', 'name', [], `0x${left('Maker')}`],
  ['a string that is not UTF-8', 'name', [], dynamic('caf\u00e9')],
  [
    'one of several values that is not UTF-8',
    'both',
    [],
    `0x${word('40')}${word('7')}${word('1')}${left('\u00ff')}`,
  ],
])(
  'returned data that does not match the interface is shown unchanged: %s',
  async (_, method, args, data) => {
    const { answer } = await emulate(method, args, answering(data));
    expect(await answer).toMatchObject({
      ...{ result: null, figures: { returned: data } },
      warnings: [expect.stringContaining('does not match the outputs')],
    });
  },
);

test('emulating a call returns no result if there is no contract, or if a view method returns nothing', async () => {
  const none = await emulate('transfer', [other, '1'], '0x', at.replace('c0de', 'c0df'));
  await expect(none.answer).rejects.toMatchObject({ code: 'unknown-contract' });
  const view = await emulate('name', [], '0x00');
  await expect(view.answer).rejects.toMatchObject({ code: 'unknown-contract' });
});

const reason = (selector: string, text: string) => `0x${selector}${dynamic(text).slice(2)}`;

test.each([
  ['Error(string)', reason('08c379a0', 'caf\u00e9')],
  ['Odd(string)', reason('b4e16777', 'caf\u00e9')],
])(
  'if a revert reason of %s is not UTF-8, shows it as bytes in an emulation and in an outcome',
  async (signature, data) => {
    const { operation, answer } = await emulate('transfer', [other, '1'], answering(data, 'fd'));
    const problem = {
      code: 'reverted',
      detail: expect.stringContaining(`do not match ${signature}: 0x${data.slice(10)}`),
      data: expect.objectContaining({ revertData: data }),
    };
    await expect(answer).rejects.toMatchObject({ problem });
    const sent = await execute(actor, { ...operation, native: ethereumWith({ gasLimit: 200_000n }) });
    expect(sent).toMatchObject({ status: 'failed', problem });
  },
);
