import { recordActivity, serviceItself } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { checkCode } from '../templates/creation-code.ts';
import { specificationChecksum } from '../templates/templates.ts';
import { defaultTiming, type Timing } from '../timing.ts';
import { type Compiler, compilationsAtOnce } from './compiler.ts';
import { createTurns, type PendingRow } from './turns.ts';
import type { CompileResult, CompilerMessage } from './types.ts';

/** Options of compilations. */
export interface CompilationsOptions {
  store: Store;
  compiler: Compiler;
  /** Brings an interface, as the compiler wrote it, into the form in which it is stored. @throws Problem */
  readInterface: (technology: string, text: string) => Promise<string>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Times other than the usual ones. */
  timing?: Partial<Timing>;
  /** Told of what goes wrong outside of any request; no sources in it. */
  onError?: (error: unknown) => void;
}

/**
 * Compiles the versions that are PENDING, whoever accepted them: organizations take turns, and none has more than one
 * at once on a server, so that what is heavy holds up its own organization.
 */
export interface Compilations {
  /** Takes up what a crash left behind, and looks again from time to time. */
  start(): void;
  /** There is something new. Does nothing before `start`. */
  wake(): void;
  /** When nothing is left that can be done now. */
  idle(): Promise<void>;
  /** Stops at once; what was under way is taken up again at the next start, here or elsewhere. */
  close(): Promise<void>;
}

const maxAttempts = 3;

/** Makes the loop. The rows are the queue: nothing is lost with the process. */
export function createCompilations(options: CompilationsOptions): Compilations {
  const { store, compiler, onError = () => {} } = options;
  const { lease, look } = { ...defaultTiming, ...options.timing };
  const turns = createTurns();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** Compilations under way, by the organization whose they are. */
  const underWay = new Map<string, Promise<void>>();
  let again = false;
  let closed = false;
  let started = false;

  async function loop(): Promise<void> {
    try {
      do {
        again = false;
        while (!closed && underWay.size < compilationsAtOnce && (await beginNext())) again = false;
      } while (again && !closed);
    } catch (error) {
      report(error);
    } finally {
      running = undefined;
    }
  }

  function report(error: unknown): void {
    if (!closed) onError(error);
  }

  /** False when there is nothing that can be done now. */
  async function beginNext(): Promise<boolean> {
    const at = await store.now();
    const taken = await store.transaction((tx) => turns.take(tx, at, at + lease, new Set(underWay.keys())));
    if (taken === undefined) return false;
    if (taken === null) return true;
    const { row, organization } = taken;
    const work = compileOne(row, at).then(
      () => {
        underWay.delete(organization);
        wake();
      },
      (error: unknown) => {
        // A compilation that failed is looked for again some time later; whoever waits for its place is not.
        underWay.delete(organization);
        report(error);
        wake();
      },
    );
    underWay.set(organization, work);
    return true;
  }

  async function compileOne(row: PendingRow, at: number): Promise<void> {
    if (row.attempts > maxAttempts) {
      await finish(row.uid, failed(`Compiling it was broken off ${maxAttempts} times.`));
      return;
    }
    const outcome = await compile(row).catch(async (error: unknown) => {
      // Not the sources' fault: it is compiled again, at once where this server ends, else some time later.
      await release(row, closed ? at : at + look, closed ? row.attempts - 1 : row.attempts);
      throw error;
    });
    await finish(row.uid, outcome);
  }

  async function release({ uid }: PendingRow, dueAt: number, attempts: number): Promise<void> {
    await store.transaction(async (tx) => {
      const { specification } = tx.t;
      const pending = and(eq(specification.uid, uid), eq(specification.status, 'PENDING'));
      await tx.db.update(specification).set({ dueAt, attempts }).where(pending);
    });
  }

  async function compile(row: PendingRow): Promise<Outcome> {
    const result = await compiler.compile({ source: row.source ?? '', target: row.target });
    if (!result.ok) return result;
    try {
      const parsed = await options.readInterface(row.technology, result.abi);
      return { ...result, interface: parsed, code: checkCode(result.bytecode, '/code') };
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return failed(error.message, result.messages, result.compilerVersion);
    }
  }

  async function finish(uid: string, outcome: Outcome): Promise<void> {
    const at = options.now();
    await store.transaction(async (tx) => {
      const { specification, template } = tx.t;
      const [row] = await tx.db
        .update(specification)
        .set(changesOf(outcome, at))
        .where(and(eq(specification.uid, uid), eq(specification.status, 'PENDING')))
        .returning();
      // Another server was faster, or it is gone.
      if (row === undefined) return;
      const [parent] = await tx.db.select().from(template).where(eq(template.uid, row.templateUid));
      if (parent === undefined) return;
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

  function wake(): void {
    // Where all that can be is under way, the first that ends wakes it again.
    if (closed || !started || underWay.size >= compilationsAtOnce) return;
    again = true;
    running ??= loop();
  }

  async function idle(): Promise<void> {
    while (running !== undefined || underWay.size > 0) {
      await running;
      await Promise.all(underWay.values());
    }
  }

  return {
    start() {
      started = true;
      timer ??= setInterval(wake, look).unref();
      wake();
    },
    wake,
    idle,
    async close() {
      closed = true;
      clearInterval(timer);
      await compiler.close();
      await idle();
    },
  };
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
