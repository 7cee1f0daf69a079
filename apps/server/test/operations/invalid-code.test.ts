import { describe, expect, test, vi } from 'vitest';
import { blocksPass, dropped, inPool, quantity, useJamStage } from './jam-stage.ts';

// Some cases wait several times until a transaction is late.
vi.setConfig({ testTimeout: 180_000 });

const { setUp, fork, ended, goesOn, stateFile } = useJamStage();

/** A contract whose code determines the outcome of other contracts that inspect or call it. */
const contract = '0x000000000000000000000000000000000000c0de';
const hex = (bytes: number) => bytes.toString(16).padStart(2, '0');
/** Creation code whose contract is one zero byte. */
const plain = '60016000f3';
/** Creation code that branches on whether the contract has code: EXTCODESIZE, ISZERO, JUMPI. */
const creationOn = (otherwise: string) =>
  `0x61c0de3b1560${hex(8 + otherwise.length / 2)}57${otherwise}5b${plain}`;

const failed = { status: 'FAILED', problem: { type: expect.stringMatching(/:(reverted|out-of-gas)$/) } };

function callOf(resource: string): object {
  return { recipient: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource } };
}

describe.concurrent('an operation that was valid when accepted and is invalid when mined fails without intervention', () => {
  test.each([
    ['returns code that begins with 0xEF (EIP-3541)', '60ef60005360016000f3'],
    ['returns code of more than 24,576 bytes (EIP-170)', '6160016000f3'],
    ['reverts', '60006000fd'],
    ['runs out of gas', 'fe'],
  ])(
    'a deployment that was valid when accepted fails if its constructor %s when it is mined',
    async (_, otherwise) => {
      await using scene = await setUp();
      await scene.clock.hold();
      const actionId = await scene.deploy(creationOn(otherwise));
      await inPool(scene);
      await scene.node.rpc('anvil_setCode', [contract, '0x00']);
      scene.clock.goOn();
      expect(await ended(actionId)).toMatchObject(failed);
      await goesOn(scene);
    },
  );

  test('a call fails if the contract’s new code needs more gas than was signed', async () => {
    await using scene = await setUp();
    await scene.node.rpc('anvil_setCode', [contract, '0x00']);
    await scene.clock.hold();
    const actionId = await scene.send(callOf(contract), { data: '0x01020304' });
    await inPool(scene);
    await scene.node.rpc('anvil_setCode', [contract, '0x5b600056']);
    scene.clock.goOn();
    expect(await ended(actionId)).toMatchObject(failed);
    await goesOn(scene);
  });

  test('a call to a contract that destroyed itself in the previous block completes', async () => {
    await using scene = await setUp({ anvil: { extraArgs: ['--hardfork', 'shanghai'] } });
    const { node } = scene;
    const [stranger] = node.accounts;
    await node.rpc('anvil_setCode', [contract, '0x33ff']);
    await scene.clock.hold();
    const actionId = await scene.send(callOf(contract), { data: '0x01020304' });
    await inPool(scene);
    await node.rpc('eth_sendTransaction', [
      { from: stranger?.address, to: contract, gasPrice: quantity(10n ** 12n) },
    ]);
    scene.clock.goOn();
    expect(await ended(actionId)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await node.rpc('eth_getCode', [contract, 'latest'])).toBe('0x');
    await goesOn(scene);
  });

  test.each([
    {
      what: 'creation code of a contract that begins with 0xEF, signed before London',
      before: ['--hardfork', 'berlin'],
      after: ['--hardfork', 'london'],
      data: '0x60ef60005360016000f3',
      end: failed,
    },
    {
      what: 'creation code of more than 49,152 bytes, signed before Shanghai (EIP-3860)',
      before: ['--hardfork', 'paris'],
      after: ['--hardfork', 'shanghai'],
      data: `0x${plain}${'00'.repeat(49_152)}`,
      end: dropped(/creation code of 49157 bytes/),
    },
    {
      what: 'more gas than a transaction can have at most, signed before Osaka (EIP-7825)',
      before: ['--hardfork', 'prague'],
      after: ['--hardfork', 'osaka', '--enable-tx-gas-limit'],
      data: `0x${plain}`,
      gasLimit: 20_000_000,
      end: dropped(/gasLimit of 20000000 is above the limit of 16777216/),
    },
  ])('an action with $what fails', async ({ before, after, data, end, ...more }) => {
    const state = { stateFile: stateFile(`${after[1]}.json`) };
    await using scene = await setUp({ anvil: { ...state, extraArgs: before } });
    await goesOn(scene);
    await scene.clock.hold();
    const { gasLimit } = { gasLimit: undefined, ...more };
    const actionId = await scene.deploy(data, gasLimit === undefined ? undefined : { gasLimit });
    await inPool(scene);
    const next = { ...scene, node: await fork(scene, { ...state, extraArgs: after }) };
    await blocksPass(next, 1);
    expect(await ended(actionId)).toMatchObject(end);
    await goesOn(next);
  });
});
