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

/**
 * What goes wrong, for tests. Everything is off at first, and may be changed at any time; `clear()` puts all of it
 * right again.
 */
export interface Faults {
  /** The orderer answers SERVICE_UNAVAILABLE and takes nothing. */
  ordererUnavailable: boolean;
  /** No blocks are cut: what is submitted waits. */
  blocksHeld: boolean;
  /** Block and event streams are refused (UNAVAILABLE). Those that are open stay: see {@link cutStreams}. */
  streamsRefused: boolean;
  /** Block and event streams are accepted and stay open, but nothing comes: no block, no error. */
  streamsSilent: boolean;
  /** Every transaction comes a second time, in a later block, where it is DUPLICATE_TXID. */
  repeatTransactions: boolean;
  /** Milliseconds by which answers come late, though the work is done at once. */
  delays: Partial<Record<Phase, number>>;
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
  /** Calls back whenever a switch is set. */
  onChange(listener: () => void): void;
  /** Calls back when streams are to be cut. */
  onCut(listener: (mspId: string | undefined) => void): void;
}

/** All switches, off. */
export function createFaults(): FaultSwitches {
  const listeners = new Set<() => void>();
  const cutters = new Set<(mspId: string | undefined) => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const on = {
    ordererUnavailable: false,
    blocksHeld: false,
    streamsRefused: false,
    streamsSilent: false,
    repeatTransactions: false,
  };
  type Switch = keyof typeof on;
  let deaths: PlannedDeath[] = [];
  const set = (name: Switch, value: boolean) => {
    on[name] = value;
    changed();
  };
  const faults: FaultSwitches = {
    get ordererUnavailable() {
      return on.ordererUnavailable;
    },
    set ordererUnavailable(value) {
      set('ordererUnavailable', value);
    },
    get blocksHeld() {
      return on.blocksHeld;
    },
    set blocksHeld(value) {
      set('blocksHeld', value);
    },
    get streamsRefused() {
      return on.streamsRefused;
    },
    set streamsRefused(value) {
      set('streamsRefused', value);
    },
    get streamsSilent() {
      return on.streamsSilent;
    },
    set streamsSilent(value) {
      set('streamsSilent', value);
    },
    get repeatTransactions() {
      return on.repeatTransactions;
    },
    set repeatTransactions(value) {
      set('repeatTransactions', value);
    },
    delays: {},
    cutStreams: (mspId) => {
      for (const cut of cutters) cut(mspId);
    },
    die: (death) => {
      deaths.push(death);
    },
    clear() {
      for (const name of Object.keys(on)) on[name as Switch] = false;
      deaths = [];
      faults.delays = {};
      changed();
    },
    takeDeath: (after, mspId) => {
      const found = deaths.find(
        (death) => death.after === after && (death.mspId === undefined || death.mspId === mspId),
      );
      deaths = deaths.filter((death) => death !== found);
      return found;
    },
    onChange: (listener) => void listeners.add(listener),
    onCut: (listener) => void cutters.add(listener),
  };
  return faults;
}
