import type { AdapterProblem, SessionCall } from '@ledger-ops/adapter';

/**
 * Faults that a test can script. Each occurs `times` times (once if absent; Infinity: until cleared), in the
 * order of the scripts, and deterministically.
 */
export type Misbehaviour =
  /** `submit` accepts the bytes, but the caller gets `timeout`. */
  | { kind: 'acceptAndTimeout'; times?: number }
  /** The session returns a response of `submit`, or the outcomes of `confirm`, twice. */
  | { kind: 'answerTwice'; times?: number }
  /** A valid transaction is refused. */
  | { kind: 'rejectSubmits'; times?: number; problem?: AdapterProblem }
  /** A transaction is rejected permanently: no node ever had it. Only without sequences. */
  | { kind: 'rejectForCertain'; times?: number; problem?: AdapterProblem }
  /** A transaction is included in a block as invalid. Only without sequences. */
  | { kind: 'invalidate'; times?: number }
  /** `confirm` reports a valid transaction as expired. */
  | { kind: 'expireEarly'; times?: number }
  /** `prepare` also requests this account's signature, even if the operation does not name it. */
  | { kind: 'askAnother'; address: string; times?: number }
  /** A `prepare` request fails with this problem. */
  | { kind: 'failPrepare'; problem: AdapterProblem; times?: number }
  /**
   * The node returns `accepted` (or the status in `says`) for a transaction, but drops it. `othersKeep`: only
   * the first node drops the transaction, so that a transaction sent to every node is kept.
   */
  | { kind: 'acceptButForget'; times?: number; says?: 'known'; othersKeep?: boolean }
  /** A cost or a fee is reported at half its value. */
  | { kind: 'lieAboutFee'; times?: number }
  /**
   * The responding node is this many blocks behind, for one call that reads the chain (only of `method`, if
   * given).
   */
  | { kind: 'lag'; blocks: number; method?: SessionCall; times?: number }
  /** A call to the method does not return until `clear()` or the end of its session. */
  | { kind: 'hang'; method: SessionCall; times?: number }
  /** `estimate` returns `failed` with this problem. */
  | { kind: 'failEstimate'; problem: AdapterProblem; times?: number }
  /** A call to the method throws something that is not an AdapterError. */
  | { kind: 'throwGarbage'; method: SessionCall; times?: number };

export type MisbehaviourKind = Misbehaviour['kind'];

/** A script that was added to a ledger. */
export interface Script {
  /** Number of times that the fault has occurred. */
  readonly fired: number;
  /** Ends the script. Calls that it delays then return. */
  clear(): void;
}

/** A fault that is due now. */
export interface Occurrence<Kind extends MisbehaviourKind> {
  script: Extract<Misbehaviour, { kind: Kind }>;
  /** Resolves when the script is cleared. */
  cleared: Promise<void>;
}

/** The scripts of a ledger. */
export interface Misbehaviours {
  add(misbehaviour: Misbehaviour): Script;
  /** Consumes one occurrence of a fault of this kind (and method, if given), if one is due. */
  take<Kind extends MisbehaviourKind>(kind: Kind, method?: SessionCall): Occurrence<Kind> | undefined;
  clear(): void;
}

interface Entry {
  script: Misbehaviour;
  left: number;
  fired: number;
  cleared: Promise<void>;
  clear(): void;
}

export function createMisbehaviours(): Misbehaviours {
  let entries: Entry[] = [];

  return {
    add(script) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const entry: Entry = {
        script,
        left: script.times ?? 1,
        fired: 0,
        cleared: promise,
        clear() {
          entries = entries.filter((other) => other !== entry);
          resolve();
        },
      };
      entries.push(entry);
      return {
        get fired() {
          return entry.fired;
        },
        clear: entry.clear,
      };
    },
    take<Kind extends MisbehaviourKind>(kind: Kind, method?: SessionCall) {
      for (const entry of entries) {
        const { script } = entry;
        if (entry.left < 1 || !isOfKind(script, kind)) continue;
        if ('method' in script && script.method !== undefined && script.method !== method) continue;
        entry.left -= 1;
        entry.fired += 1;
        return { script, cleared: entry.cleared };
      }
      return undefined;
    },
    clear() {
      for (const entry of entries) entry.clear();
    },
  };
}

function isOfKind<Kind extends MisbehaviourKind>(
  script: Misbehaviour,
  kind: Kind,
): script is Extract<Misbehaviour, { kind: Kind }> {
  return script.kind === kind;
}
