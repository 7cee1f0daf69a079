import { strict as assert } from 'node:assert';
import { checkedMessage, emulatedMessage } from '@ledger-ops/adapter/cloud-wallet';
import { all, type CloudWalletCheck, funds } from './check.ts';
import { assertRefusal, type RemoteStage, read } from './stage.ts';

const declared = (capability: 'checks' | 'emulations') => (stage: RemoteStage) =>
  stage.plugin.capabilities[capability] ? undefined : `the plugin does not declare '${capability}'`;
const undeclared = (capability: 'checks' | 'emulations') => (stage: RemoteStage) =>
  stage.plugin.capabilities[capability] ? `the plugin declares '${capability}'` : undefined;

/** Checks of `check` and `emulate`, for plugins that declare these capabilities. */
export const dryChecks: readonly CloudWalletCheck[] = [
  {
    name: 'checking an operation accepts a valid operation, rejects an invalid one, and executes neither',
    power: 'checks',
    missing: all(declared('checks'), funds),
    async run(stage) {
      const { ledgerId, samples } = stage.harness;
      const { walletId: wallet } = await stage.fundedWallet();
      const answer = await stage.request('POST', '/checks', { ledgerId, wallet, ...samples.operation });
      read(checkedMessage, answer, 200, 'a check');
      const none = await stage.request('POST', '/checks', { ledgerId, wallet, glo: {} });
      assertRefusal(none, [400], 'checking an invalid operation');
    },
  },
  {
    name: "a plugin without the capability 'checks' rejects checks",
    missing: undeclared('checks'),
    async run(stage) {
      assertRefusal(await stage.request('POST', '/checks', {}), [404, 405, 422], 'a check');
    },
  },
  {
    name: 'an emulation of a view returns its result',
    power: 'emulations',
    missing: (stage) =>
      stage.harness.samples.view === undefined
        ? "the harness has no sample 'view'"
        : declared('emulations')(stage),
    async run(stage) {
      const { ledgerId, samples } = stage.harness;
      assert.ok(samples.view !== undefined);
      const answer = await stage.request('POST', '/emulations', { ledgerId, ...samples.view.operation });
      const { result } = read(emulatedMessage, answer, 200, 'an emulation');
      assert.deepStrictEqual(result, samples.view.result);
    },
  },
  {
    name: "a plugin without the capability 'emulations' rejects emulations",
    missing: undeclared('emulations'),
    async run(stage) {
      assertRefusal(await stage.request('POST', '/emulations', {}), [404, 405, 422], 'an emulation');
    },
  },
];
