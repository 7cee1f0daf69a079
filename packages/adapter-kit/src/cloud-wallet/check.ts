import type { CloudWalletHarness } from './harness.ts';
import type { RemoteStage } from './stage.ts';

/** One clause of the cloud wallet protocol, and how it is proved. */
export interface CloudWalletCheck {
  /** A sentence about behaviour; unique. */
  name: string;
  /** The capability that it is about. */
  power?: 'checks' | 'emulations' | 'coSigners' | 'contractEvents';
  /** Why it cannot run; undefined when it can. */
  missing?(stage: RemoteStage): string | undefined;
  /** @throws AssertionError when the plugin does not keep the clause. */
  run(stage: RemoteStage): Promise<void>;
}

/** Wallets that can pay. */
export const funds = ({ harness: { funded, hooks } }: RemoteStage) =>
  funded === 'by-hook' && hooks?.fund === undefined ? 'the harness names no wallet that can pay' : undefined;

/** Wallets of the kit's own that can pay. */
export const ownFunds = (stage: RemoteStage) =>
  typeof stage.harness.funded === 'object' ? 'the harness gives one wallet for everything' : funds(stage);

/** A hook of the harness. */
export const hook = (name: keyof NonNullable<CloudWalletHarness['hooks']>) => (stage: RemoteStage) =>
  stage.harness.hooks?.[name] === undefined ? `the harness has no hook '${name}'` : undefined;

/** The first reason of several. */
export const all =
  (...reasons: ((stage: RemoteStage) => string | undefined)[]) =>
  (stage: RemoteStage) => {
    for (const reason of reasons) {
      const missing = reason(stage);
      if (missing !== undefined) return missing;
    }
    return undefined;
  };
