import { type LedgerClient, OutcomeUnknownError, type Transfer } from '@ledger-ops/client';

export async function pay(ledger: LedgerClient, transfer: Transfer): Promise<string> {
  try {
    return (await ledger.transfer(transfer)).actionId;
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError) || error.idempotencyKey === undefined) throw error;
    const { reference: _, ...again } = transfer; // The error's key replaces the reference.
    const { actionId } = await ledger.transfer({ ...again, idempotencyKey: error.idempotencyKey });
    return actionId;
  }
}
