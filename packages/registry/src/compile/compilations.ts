import { recordActivity, recountDocuments, serviceItself } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { checkCode } from '../templates/creation-code.ts';
import { specificationChecksum } from '../templates/templates.ts';
import { defaultTiming, type Timing } from '../timing.ts';
import { type Compiler, compilationsAtOnce } from './compiler.ts';
import { createTurns, type PendingRow } from './turns.ts';
import type { CompileResult, CompilerMessage } from './types.ts';

export interface CompilationsOptions {
  store: Store;
  compiler: Compiler;
  /**
   * Converts an interface from the compiler's format to the stored one.
   * @throws Problem
   */
  readInterface: (technology: string, text: string) => Promise<string>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Overrides of the default timing. */
  timing?: Partial<Timing>;
  /** Called with failures outside of requests; they contain no sources. */
  onError?: (error: unknown) => void;
}

const maxAttempts = 3;

/**
 * Compiles PENDING versions, including those accepted by other servers. Organizations take turns, and each server
 * compiles at most one version per organization at a time, so that expensive sources delay only their own organization.
 */
export class Compilations {
  readonly #options: CompilationsOptions;
  readonly #store;
  readonly #compiler;
  readonly #onError;
  readonly #lease;
  readonly #look;
  readonly #turns = createTurns();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** Running compilations, by organization. */
  readonly #underWay = new Map<string, Promise<void>>();
  #again = false;
  #closed = false;
  #started = false;

  constructor(options: CompilationsOptions) {
    this.#options = options;
    const { store, compiler, onError = () => {} } = options;
    this.#store = store;
    this.#compiler = compiler;
    this.#onError = onError;
    const { lease, look } = { ...defaultTiming, ...options.timing };
    this.#lease = lease;
    this.#look = look;
  }

  /** Resumes compilations interrupted by a crash, and checks for new ones periodically. */
  start(): void {
    this.#started = true;
    this.#timer ??= setInterval(() => this.wake(), this.#look).unref();
    this.wake();
  }

  /** Starts waiting compilations. Does nothing before `start`. */
  wake(): void {
    // At the concurrency limit, the next compilation that finishes calls `wake` again.
    if (this.#closed || !this.#started || this.#underWay.size >= compilationsAtOnce) return;
    this.#again = true;
    this.#running ??= this.#loop();
  }

  /** Resolves when no compilation is running or can start now. */
  async idle(): Promise<void> {
    while (this.#running !== undefined || this.#underWay.size > 0) {
      await this.#running;
      await Promise.all(this.#underWay.values());
    }
  }

  /** Stops immediately. Another server, or this server after a restart, resumes interrupted compilations. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#compiler.close();
    await this.idle();
  }

  async #loop(): Promise<void> {
    try {
      do {
        this.#again = false;
        while (!this.#closed && this.#underWay.size < compilationsAtOnce && (await this.#beginNext()))
          this.#again = false;
      } while (this.#again && !this.#closed);
    } catch (error) {
      this.#report(error);
    } finally {
      this.#running = undefined;
    }
  }

  #report(error: unknown): void {
    if (!this.#closed) this.#onError(error);
  }

  /** False if no compilation can start now. */
  async #beginNext(): Promise<boolean> {
    const at = await this.#store.now();
    const taken = await this.#store.transaction((tx) =>
      this.#turns.take(tx, at, at + this.#lease, new Set(this.#underWay.keys())),
    );
    if (taken === undefined) return false;
    if (taken === null) return true;
    const { row, organization } = taken;
    const work = this.#compileOne(row, at).then(
      () => {
        this.#underWay.delete(organization);
        this.wake();
      },
      (error: unknown) => {
        // A failed compilation is retried later. The next compilation starts immediately.
        this.#underWay.delete(organization);
        this.#report(error);
        this.wake();
      },
    );
    this.#underWay.set(organization, work);
    return true;
  }

  async #compileOne(row: PendingRow, at: number): Promise<void> {
    if (row.attempts > maxAttempts) {
      await this.#finish(
        row.uid,
        failed(`The compilation was interrupted ${maxAttempts} times. Create a new version to try again.`),
      );
      return;
    }
    const outcome = await this.#compile(row).catch(async (error: unknown) => {
      // The sources do not cause this failure, so the compilation is retried: immediately if this server is
      // closing, otherwise later.
      await this.#release(
        row,
        this.#closed ? at : at + this.#look,
        this.#closed ? row.attempts - 1 : row.attempts,
      );
      throw error;
    });
    await this.#finish(row.uid, outcome);
  }

  async #release({ uid }: PendingRow, dueAt: number, attempts: number): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const { specification } = tx.t;
      const pending = and(eq(specification.uid, uid), eq(specification.status, 'PENDING'));
      await tx.db.update(specification).set({ dueAt, attempts }).where(pending);
    });
  }

  async #compile(row: PendingRow): Promise<Outcome> {
    const result = await this.#compiler.compile({ source: row.source ?? '', target: row.target });
    if (!result.ok) return result;
    try {
      const parsed = await this.#options.readInterface(row.technology, result.abi);
      return { ...result, interface: parsed, code: checkCode(result.bytecode, '/code') };
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return failed(error.message, result.messages, result.compilerVersion);
    }
  }

  async #finish(uid: string, outcome: Outcome): Promise<void> {
    const at = this.#options.now();
    await this.#store.transaction(async (tx) => {
      const { specification, template } = tx.t;
      const [row] = await tx.db
        .update(specification)
        .set(changesOf(outcome, at))
        .where(and(eq(specification.uid, uid), eq(specification.status, 'PENDING')))
        .returning();
      // Another server finished first, or the version was deleted.
      if (row === undefined) return;
      const [parent] = await tx.db.select().from(template).where(eq(template.uid, row.templateUid));
      if (parent === undefined) return;
      await recountDocuments(tx, parent.uid);
      await recordActivity(
        tx,
        serviceItself,
        {
          action: outcome.ok ? 'compiled' : 'compilation-failed',
          service: 'older-contract-registry',
          resourceUid: parent.uid,
          resourceId: parent.templateId,
          resourceType: 'smart-contract-template',
          scope: parent.projectId,
          targetObject: row.tag,
        },
        at,
      );
    });
  }
}

type Outcome =
  | (Extract<CompileResult, { ok: true }> & { interface: string; code: string })
  | Extract<CompileResult, { ok: false }>;

function changesOf(outcome: Outcome, at: number): Partial<PendingRow> {
  const messages = JSON.stringify(outcome.messages);
  const { compilerVersion } = outcome;
  if (!outcome.ok) return { status: 'FAILED', messages, compilerVersion, updatedAt: at };
  const { contract, abi, code } = outcome;
  return {
    status: 'COMPILED',
    messages,
    compilerVersion,
    interface: outcome.interface,
    code,
    checksum: specificationChecksum(code, outcome.interface),
    compilation: JSON.stringify({ contract, abi: JSON.parse(abi), bytecode: code }),
    updatedAt: at,
  };
}

function failed(
  message: string,
  messages: readonly CompilerMessage[] = [],
  compilerVersion: string | null = null,
): Extract<CompileResult, { ok: false }> {
  const line: CompilerMessage = { severity: 'error', file: null, line: null, column: null, message };
  return { ok: false, compilerVersion, messages: [...messages, line] };
}
