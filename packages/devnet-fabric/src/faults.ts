/** The calls of a peer's gateway that can be made slow. */
export type Phase = 'evaluate' | 'endorse' | 'submit' | 'commitStatus';

/** A peer that is to end once, at a point between two of a transaction's phases. */
export interface PlannedDeath {
  after: 'endorse' | 'submit';
  /** Default: whichever peer is asked next. */
  mspId?: string;
  /** Whether the client still gets the answer. Default true; false: the work is done, and nobody learns of it. */
  answered?: boolean;
}

/** All switches, off. */
const allOff = {
  /** The orderer answers SERVICE_UNAVAILABLE and takes nothing. */
  ordererUnavailable: false,
  /** The orderer answers FORBIDDEN to whatever it is sent, as it does to who may not write, and takes nothing. */
  ordererRefuses: false,
  /** No blocks are cut: what is submitted waits. */
  blocksHeld: false,
  /** Block and event streams are refused (UNAVAILABLE). Those that are open stay: see {@link Faults.cutStreams}. */
  streamsRefused: false,
  /** Block and event streams are accepted and stay open, but nothing comes: no block, no error. */
  streamsSilent: false,
  /** Every transaction comes a second time, in a later block, where it is DUPLICATE_TXID. */
  repeatTransactions: false,
};
const switchNames = Object.keys(allOff) as (keyof typeof allOff)[];

/** Each goes wrong as long as it is true. */
export type FaultSettings = { [Name in keyof typeof allOff]: boolean };

/**
 * For tests. Everything is off at first, and may be changed at any time; `clear()` puts all of it right again.
 */
export interface Faults extends FaultSettings {
  /** Milliseconds by which answers come late, though the work is done at once. */
  delays: Partial<Record<Phase, number>>;
  /**
   * The peer of this organization tells that valid transactions were not: its block streams and its qscc show this
   * `TxValidationCode` instead. What it committed stays as it is.
   */
  lies: { mspId: string; code: number } | undefined;
  /**
   * The peer of this organization answers its next proposals, those to the lifecycle too, on the state before the last
   * block: it is late with it.
   */
  lag(mspId: string, proposals?: number): void;
  /** Ends the connections of all open streams, or those of one organization's peer. */
  cutStreams(mspId?: string): void;
  /** Stops a peer's endpoint at the next such point. It comes back with `start()` of its organization. */
  die(death: PlannedDeath): void;
  clear(): void;
}

/** How the network's parts ask for the faults that concern them, and are told of changes. */
export interface FaultSwitches extends Faults {
  /** The planned death that this call fulfils; it is planned no longer then. */
  takeDeath(after: PlannedDeath['after'], mspId: string): PlannedDeath | undefined;
  /** By how many blocks this organization's peer is behind with a proposal: one at most. */
  takeLag(mspId: string): number;
  /** Calls back whenever a switch is set. */
  onChange(listener: () => void): void;
  /** Calls back when streams are to be cut. */
  onCut(listener: (mspId: string | undefined) => void): void;
}

/** Everything works. */
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
