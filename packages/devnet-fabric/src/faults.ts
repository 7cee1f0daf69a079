/** The gateway calls that can be delayed. */
export type Phase = 'evaluate' | 'endorse' | 'submit' | 'commitStatus';

/** A planned crash of a peer, once, after a phase of a transaction. */
export interface PlannedDeath {
  after: 'endorse' | 'submit';
  /** Default: the first peer that processes this phase. */
  mspId?: string;
  /**
   * Whether the response is sent. Default true. A busy client may lose it anyway, because the
   * connection breaks soon after. If false, the work is done, but the client gets no response.
   */
  answered?: boolean;
}

/** All faults, disabled. */
const allOff = {
  /** The orderer responds SERVICE_UNAVAILABLE and accepts nothing. */
  ordererUnavailable: false,
  /**
   * The orderer responds FORBIDDEN to every message, as it does to clients without write permission, and
   * accepts nothing.
   */
  ordererRefuses: false,
  /** No blocks are cut, so submitted transactions wait. */
  blocksHeld: false,
  /**
   * New block and event streams are refused (UNAVAILABLE). Open streams stay open: see {@link
   * Faults.cutStreams}.
   */
  streamsRefused: false,
  /** Block and event streams are accepted and stay open, but nothing is sent on them. */
  streamsSilent: false,
  /** Every transaction is included a second time in a later block, where it is DUPLICATE_TXID. */
  repeatTransactions: false,
};
const switchNames = Object.keys(allOff) as (keyof typeof allOff)[];

/** A fault is active while its member is true. */
export type FaultSettings = { [Name in keyof typeof allOff]: boolean };

/**
 * Faults for tests. All are disabled at first and can be changed at any time; `clear()` disables all of them.
 */
export interface Faults extends FaultSettings {
  /** Delays of responses in milliseconds. The work itself is done immediately. */
  delays: Partial<Record<Phase, number>>;
  /**
   * The peer of this organization reports valid transactions with this `TxValidationCode` in its block
   * streams and its qscc. Its committed state is unaffected.
   */
  lies: { mspId: string; code: number } | undefined;
  /**
   * The peer of this organization executes its next proposals, including lifecycle proposals, on the state
   * before the last block.
   */
  lag(mspId: string, proposals?: number): void;
  /** Ends the connections of all open streams, or those of one organization's peer. */
  cutStreams(mspId?: string): void;
  /** Stops a peer's endpoint after this phase. The organization's `start()` restarts it. */
  die(death: PlannedDeath): void;
  clear(): void;
}

/** The faults as the network's components use them. */
export interface FaultSwitches extends Faults {
  /** Consumes and returns the planned crash that applies to this call, if any. */
  takeDeath(after: PlannedDeath['after'], mspId: string): PlannedDeath | undefined;
  /** Returns the number of blocks by which this organization's peer is behind for this proposal: 0 or 1. */
  takeLag(mspId: string): number;
  /** Registers a callback for each change of a fault. */
  onChange(listener: () => void): void;
  /** Registers a callback for `cutStreams`. */
  onCut(listener: (mspId: string | undefined) => void): void;
}

/** Creates the faults, all disabled. */
export function createFaults(): FaultSwitches {
  const listeners = new Set<() => void>();
  const cutters = new Set<(mspId: string | undefined) => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const on: FaultSettings = { ...allOff };
  let deaths: PlannedDeath[] = [];
  const lags = new Map<string, number>();
  const faults: FaultSwitches = {
    ...allOff,
    delays: {},
    lies: undefined,
    lag: (mspId, proposals = 1) => {
      lags.set(mspId, proposals);
    },
    cutStreams: (mspId) => {
      for (const cut of cutters) cut(mspId);
    },
    die: (death) => {
      deaths.push(death);
    },
    clear() {
      Object.assign(on, allOff);
      deaths = [];
      lags.clear();
      faults.delays = {};
      faults.lies = undefined;
      changed();
    },
    takeDeath: (after, mspId) => {
      const found = deaths.find(
        (death) => death.after === after && (death.mspId === undefined || death.mspId === mspId),
      );
      deaths = deaths.filter((death) => death !== found);
      return found;
    },
    takeLag: (mspId) => {
      const left = lags.get(mspId) ?? 0;
      lags.set(mspId, Math.max(0, left - 1));
      return Math.min(1, left);
    },
    onChange: (listener) => void listeners.add(listener),
    onCut: (listener) => void cutters.add(listener),
  };
  for (const name of switchNames) {
    Object.defineProperty(faults, name, {
      get: () => on[name],
      set(value: boolean) {
        on[name] = value;
        changed();
      },
    });
  }
  return faults;
}
