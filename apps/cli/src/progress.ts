import type { Action } from '@ledger-ops/client';
import { answer } from '@ledger-ops/client';
import type { Context } from './command.ts';
import { failedWaiting, tellFailure } from './errors.ts';
import { cutTo, printable } from './output.ts';
import type { Terminal } from './terminal.ts';

/** Milliseconds between two looks at why an action waits. */
const between = 1_000;

/** Waits for an end, and tells a person meanwhile for how long, and why. @throws ActionFailedError */
export async function waitWithProgress(context: Context, actionId: string): Promise<Action> {
  try {
    return await wait(context, actionId);
  } catch (error) {
    throw failedWaiting(error, context.terminal.signal, actionId);
  }
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
    // In the last column some terminals begin a line, which nothing would take back.
    terminal.err(`\r\u001B[K${cutTo(line, terminal.columns() - 1)}`);
  };
  const look = async () => {
    const params = { path: { actionId } };
    const action = await answer(ledger.http.GET('/v1/ledger-ops/search/actions/{actionId}', { params }));
    why = printable(action.pending?.detail ?? why);
  };
  draw();
  const timer = setInterval(() => {
    draw();
    // The end of the waiting is told by whoever waits, who also goes on without an answer.
    void look().catch((error: unknown) => {
      why = printable(tellFailure(error)?.lines[0] ?? why);
    });
  }, between);
  try {
    return await ledger.waitFor(actionId, { signal });
  } finally {
    clearInterval(timer);
    terminal.err('\r\u001B[K');
  }
}

/** Tells once, beside the events, that every one from now on will be told; for `opened` of a stream. */
export function watchingTeller({ err }: Pick<Terminal, 'err'>, of: string): () => void {
  let isTold = false;
  return () => {
    if (!isTold) err(`Watching ${printable(of)}, until it is stopped.\n`);
    isTold = true;
  };
}
