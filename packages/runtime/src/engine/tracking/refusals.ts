import type { LedgerContext } from '../context.ts';

/** A transaction that nodes refused. */
interface Refused {
  actionId: string;
  txId: string;
}

/** Tells of what a ledger's nodes refuse: after an overload that is each transaction that was mined before it was sent again. */
export interface Refusals {
  /** The first is logged at once; those of the time after it in one line, with how many there were. */
  add(refused: Refused): void;
  stop(): void;
}

export function createRefusals(
  { log, timing }: Pick<LedgerContext, 'log' | 'timing'>,
  ledgerId: string,
): Refusals {
  let count = 0;
  let last: Refused | undefined;
  let timer: NodeJS.Timeout | undefined;

  function tell(): void {
    timer = undefined;
    if (last === undefined) return;
    log('warn', 'submit.refused', { ledgerId, ...last, count });
    count = 0;
    last = undefined;
    timer = setTimeout(tell, timing.tellRefused).unref();
  }

  return {
    add(refused) {
      count += 1;
      last = refused;
      if (timer === undefined) tell();
    },
    stop() {
      clearTimeout(timer);
      tell();
      clearTimeout(timer);
    },
  };
}
