import type { Action, LedgerClient } from '@ledger-ops/client';
import { answer, ProblemError } from '@ledger-ops/client';
import type { Context } from './command.ts';
import { CliError, describeFailure, failedWaiting } from './errors.ts';
import { cutTo, printable } from './output.ts';
import type { Terminal } from './terminal.ts';

/** Milliseconds between queries of the pending reason. */
const pollingIntervalMs = 1_000;

/**
 * Waits for an action to finish, and shows how long it has been pending and why.
 * @param isSent whether this command sent the action; otherwise its id may be wrong
 * @throws ActionFailedError; CliError if a reorg removed the result of the action
 */
export async function waitWithProgress(
  context: Context,
  actionId: string,
  { isSent }: { isSent: boolean },
): Promise<Action> {
  const action = await wait(context, actionId).catch((error: unknown) => {
    if (!isSent && error instanceof ProblemError && error.is('not-found')) throw error;
    throw failedWaiting(error, context.terminal.signal, actionId);
  });
  const { retracted } = action;
  if (retracted === undefined) return action;
  throw new CliError(
    'found',
    `RETRACTED: ${actionId}. ${retracted.detail}`,
    `ledger-ops action explain ${actionId}`,
  );
}

async function wait({ client, terminal, output }: Context, actionId: string): Promise<Action> {
  const ledger = await client();
  const { signal } = terminal;
  const isDrawn = terminal.drawsProgress && !output.isJson;
  if (!isDrawn) return await ledger.waitFor(actionId, { signal });
  const begun = Date.now();
  let why = 'accepted';
  const draw = () => {
    const line = `${Math.round((Date.now() - begun) / 1_000)} s  ${why}`;
    // The last column stays empty: some terminals wrap after it, and a wrapped line cannot be erased.
    terminal.err(`\r\u001B[K${cutTo(line, terminal.columns() - 1)}`);
  };
  const readReason = async () => {
    const params = { path: { actionId } };
    const action = await answer(ledger.http.GET('/v1/ledger-ops/search/actions/{actionId}', { params }));
    why = printable(action.pending?.detail ?? why);
  };
  draw();
  const timer = setInterval(() => {
    draw();
    // A failed progress query is displayed but does not fail the command: `waitFor` reports the result.
    void readReason().catch((error: unknown) => {
      why = printable(describeFailure(error)?.lines[0] ?? why);
    });
  }, pollingIntervalMs);
  try {
    return await ledger.waitFor(actionId, { signal });
  } finally {
    clearInterval(timer);
    terminal.err('\r\u001B[K');
  }
}

/**
 * Fails if the service does not answer or refuses the credentials. For commands that follow a stream of events: once
 * started, a stream reconnects without limit and without a message.
 */
export async function demandService({ http }: LedgerClient): Promise<void> {
  await answer(http.GET('/v1/admin/me'));
}

/** Callback for a stream's `opened`. Prints the message only for the first connection. */
export function announceWatching({ err }: Pick<Terminal, 'err'>, of: string): () => void {
  let isAnnounced = false;
  return () => {
    if (!isAnnounced) err(`Watching ${printable(of)}. Ctrl-C stops.\n`);
    isAnnounced = true;
  };
}
