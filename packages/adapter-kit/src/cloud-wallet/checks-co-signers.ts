import { strict as assert } from 'node:assert';
import { randomBytes, randomUUID } from 'node:crypto';
import { checkedMessage, type RemoteOperation } from '@ledger-ops/adapter/cloud-wallet';
import { all, type CloudWalletCheck, hook, ownFunds } from './check.ts';
import type { CloudWalletHarness } from './harness.ts';
import { assertRefusal, type RemoteStage, read, type SendBody, type TestWallet } from './stage.ts';

const declared = (stage: RemoteStage) =>
  stage.plugin.capabilities.coSigners === true ? undefined : "the plugin does not declare 'coSigners'";
const checks = ({ plugin }: RemoteStage) =>
  plugin.capabilities.checks ? undefined : "the plugin does not declare 'checks'";

/** Checks of operations that other wallets also sign or pay for. */
export const coSignerChecks: readonly CloudWalletCheck[] = [
  {
    name: 'an operation that names other wallets is executed once if the request contains the secrets of these wallets',
    power: 'coSigners',
    missing: all(declared, ownFunds),
    async run(stage) {
      const { sender, body } = await gather(stage);
      const { txId } = await stage.send(body);
      const { status, problem } = await stage.settled(txId);
      assert.equal(status, 'SUCCEEDED', `it FAILED: ${JSON.stringify(problem)}`);
      assert.equal(
        (await stage.send(body)).status,
        'SUCCEEDED',
        'the repeated request does not return the final state',
      );
      await assertExecuted(stage, sender, 1);
    },
  },
  {
    name: 'an operation that names another wallet is rejected and not executed if the request omits that wallet or contains a wrong secret',
    power: 'coSigners',
    missing: all(declared, ownFunds),
    async run(stage) {
      const { sender, body } = await gather(stage);
      const wrong = { walletPassword: randomBytes(32).toString('base64url') };
      const refused = async (wallets: SendBody['wallets'], statuses: number[], what: string) => {
        const actionId = randomUUID();
        const answer = await stage.request('POST', '/transactions', { ...body, actionId, wallets });
        assertRefusal(answer, statuses, what);
        const [known] = await stage.statuses([actionId]);
        assert.equal(known?.problem?.status, 404, `${what}: the action id is known`);
      };
      const wallets = body.wallets ?? [];
      for (const one of wallets) {
        const others = wallets.filter((other) => other !== one);
        await refused(others, [400, 422], 'a transaction that omits a wallet named by the operation');
        await refused([...others, { ...one, pluginParams: wrong }], [403], 'another secret');
        await refused([...others, { ...one, wallet: `no-${randomUUID()}` }], [404], 'an unknown wallet');
        await refused([...wallets, one], [400], 'a wallet that appears twice');
      }
      await assertExecuted(stage, sender, 0);
    },
  },
  {
    name: 'after a crash, an action that several wallets sign completes without their secrets',
    power: 'coSigners',
    missing: all(declared, all(ownFunds, hook('crash'))),
    async run(stage) {
      const { sender, body } = await gather(stage);
      const { txId } = await stage.send(body);
      const moved = await stage.harness.hooks?.crash?.();
      if (moved !== undefined) stage.move(moved.url);
      const { status, problem } = await stage.settled(txId);
      assert.equal(status, 'SUCCEEDED', `it FAILED: ${JSON.stringify(problem)}`);
      await assertExecuted(stage, sender, 1);
    },
  },
  {
    name: 'checking an operation that names other wallets returns the costs of those wallets, and is rejected if the request omits a wallet',
    power: 'coSigners',
    missing: all(declared, all(checks, ownFunds)),
    async run(stage) {
      const { others, body, payer } = await gather(stage);
      const { actionId: _, pluginParams: __, wallets = [], ...operation } = body;
      const { ledgerId } = stage.harness;
      const named = wallets.map(({ wallet }) => wallet);
      const given = { ledgerId, ...operation };
      const passed = await stage.request('POST', '/checks', { ...given, wallets: named });
      const { costs = [] } = read(checkedMessage, passed, 200, 'a check');
      const foreign = costs.filter(({ address }) => !others.some((other) => other.address === address));
      assert.deepStrictEqual(foreign, [], 'the costs contain accounts that the operation does not name');
      if (payer !== undefined) {
        const told = costs.find(({ address }) => address === payer.address);
        assert.ok(
          BigInt(told?.amount ?? 0) > 0n,
          `the costs do not contain the amount that ${payer.address} pays`,
        );
      }
      assertRefusal(
        await stage.request('POST', '/checks', given),
        [400, 422],
        'a check without the other wallets',
      );
    },
  },
];

interface Cast {
  sender: TestWallet;
  others: TestWallet[];
  payer: TestWallet | undefined;
  body: SendBody;
}

/** Creates the sample's wallets and inserts their addresses into the sample's operation. */
async function gather(stage: RemoteStage): Promise<Cast> {
  const { coSigned } = stage.harness.samples;
  assert.ok(
    coSigned !== undefined,
    "the capability 'coSigners' is declared: the harness needs the sample 'coSigned'",
  );
  const sender = await stage.fundedWallet();
  const others: TestWallet[] = [];
  while (others.length < coSigned.others) others.push(await stage.fundedWallet());
  const wallets = others.map(({ walletId, secret }) => ({
    wallet: walletId,
    pluginParams: { walletPassword: secret },
  }));
  const addresses = [sender, ...others].map(({ address }) => address);
  return {
    ...{ sender, others },
    payer: coSigned.payer === undefined ? undefined : others[coSigned.payer - 1],
    body: { ...stage.sending(sender, naming(coSigned, addresses)), wallets },
  };
}

/** Returns the sample's operation, with addresses in place of the `wallet:<n>` placeholders. */
function naming(
  { operation }: NonNullable<CloudWalletHarness['samples']['coSigned']>,
  addresses: readonly string[],
): RemoteOperation {
  const named = addresses.reduce(
    (text, address, index) =>
      text.replaceAll(JSON.stringify(`wallet:${index}`), () => JSON.stringify(address)),
    JSON.stringify(operation.glo),
  );
  return { ...operation, glo: JSON.parse(named) };
}

async function assertExecuted({ harness }: RemoteStage, { address }: TestWallet, times: number) {
  const counted = await harness.hooks?.executions?.(address);
  if (counted === undefined) return;
  assert.equal(counted, times, `the ledger counts ${counted} executions, expected ${times}`);
}
