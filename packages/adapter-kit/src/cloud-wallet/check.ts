import type { OperationType } from '@ledger-ops/glo-core';
import type { CloudWalletHarness } from './harness.ts';
import type { RemoteStage } from './stage.ts';

/** One conformance check of the cloud wallet protocol. */
export interface CloudWalletCheck {
  /** The statement that the check proves. Unique among the checks. */
  name: string;
  /** The capability that the check is about. */
  power?: 'checks' | 'emulations' | 'coSigners' | 'contractEvents';
  /** The operation type that the check is about. */
  operation?: OperationType;
  /** A requirement on every plugin that only this check proves, as the report names it. */
  proves?: string;
  /** Why the check cannot run; undefined if it can. */
  missing?(stage: RemoteStage): string | undefined;
  /** @throws AssertionError if the plugin fails the check */
  run(stage: RemoteStage): Promise<void>;
}

/** Requires funded wallets. */
export const funds = ({ harness: { funded, hooks } }: RemoteStage) =>
  funded === 'by-hook' && hooks?.fund === undefined ? 'the harness has no wallet with funds' : undefined;

/** Requires that the kit can create wallets with funds. */
export const ownFunds = (stage: RemoteStage) =>
  typeof stage.harness.funded === 'object' ? 'the harness uses one wallet for everything' : funds(stage);

/** Requires a hook of the harness. */
export const hook = (name: keyof NonNullable<CloudWalletHarness['hooks']>) => (stage: RemoteStage) =>
  stage.harness.hooks?.[name] === undefined ? `the harness has no hook '${name}'` : undefined;

/** Requires the hook `state`, which reads the ledger without the plugin. */
export const ledgerState = (stage: RemoteStage) =>
  stage.harness.hooks?.state === undefined ? "the harness has no hook 'state'" : undefined;

/** Requires all given conditions: returns the reason of the first one that is not met. */
export const all =
  (...reasons: ((stage: RemoteStage) => string | undefined)[]) =>
  (stage: RemoteStage) => {
    for (const reason of reasons) {
      const missing = reason(stage);
      if (missing !== undefined) return missing;
    }
    return undefined;
  };
