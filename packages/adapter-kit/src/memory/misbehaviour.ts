import type { AdapterProblem, SessionCall } from '@ledger-ops/adapter';

/**
 * The faults that a ledger can be told to make. Each happens `times` times (once when absent; Infinity: until
 * cleared), in the order of the scripts, and is otherwise deterministic.
 */
export type Misbehaviour =
  /** A call of `submit`: the bytes are taken, the caller gets `timeout`. */
  | { kind: 'acceptAndTimeout'; times?: number }
  /** An answer of `submit`, or outcomes of `confirm`, are given twice. */
  | { kind: 'answerTwice'; times?: number }
  /** A transaction is refused though it is valid. */
  | { kind: 'rejectSubmits'; times?: number; problem?: AdapterProblem }
  /** A transaction is refused for good: nobody took it, ever. Only where there are no sequences. */
  | { kind: 'rejectForCertain'; times?: number; problem?: AdapterProblem }
  /** A transaction comes into its block as invalid. Only where there are no sequences. */
  | { kind: 'invalidate'; times?: number }
  /** `confirm` says that a transaction expired which is still valid. */
  | { kind: 'expireEarly'; times?: number }
  /** A request of `prepare` asks for this account's signature too, whoever the operation names. */
  | { kind: 'askAnother'; address: string; times?: number }
  /** A request of `prepare` fails with this. */
  | { kind: 'failPrepare'; problem: AdapterProblem; times?: number }
  /**
   * A transaction is answered `accepted` (or as `says` has it) and dropped. `othersKeep`: by the first node alone, so
   * that what is sent to every node is kept.
   */
  | { kind: 'acceptButForget'; times?: number; says?: 'known'; othersKeep?: boolean }
  /** A cost or a fee is stated at half of what it is. */
  | { kind: 'lieAboutFee'; times?: number }
  /** The node that answers is that many blocks behind, for one call that reads the chain (of the method, if named). */
  | { kind: 'lag'; blocks: number; method?: SessionCall; times?: number }
  /** A call of the method does not answer before `clear()` or the end of its session. */
  | { kind: 'hang'; method: SessionCall; times?: number }
  /** An estimate fails with this. */
  | { kind: 'failEstimate'; problem: AdapterProblem; times?: number }
  /** A call of the method throws something that is no AdapterError. */
  | { kind: 'throwGarbage'; method: SessionCall; times?: number };

export type MisbehaviourKind = Misbehaviour['kind'];

/** A script that was given to a ledger. */
export interface Script {
  /** How often it happened. */
  readonly fired: number;
  /** Ends it, and releases what it holds. */
  clear(): void;
}

/** A misbehaviour that happens now. */
export interface Occurrence<Kind extends MisbehaviourKind> {
  script: Extract<Misbehaviour, { kind: Kind }>;
  /** Resolved when the script is cleared. */
  cleared: Promise<void>;
}

/** The scripts of a ledger. */
export interface Misbehaviours {
  add(misbehaviour: Misbehaviour): Script;
  /** Uses one up, if one of the kind (and of the method, where it names one) is due. */
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
