import { AdapterError, adapterError, type Emulated, type EmulateRequest } from '@ledger-ops/adapter';
import { planOperation } from './check.ts';
import { choosePrice, type EstimateContext, withHeadroom } from './estimate.ts';
import { feeOf, signersOf } from './plan.ts';
import { problemOf } from './rpc/errors.ts';
import { simulate } from './rpc/simulate.ts';

const phase = 'emulate';

/**
 * Plays an operation on the newest confirmed block without changing anything.
 * @throws AdapterError `reverted` with the program's logs, `insufficient-funds`, and as `check`
 */
export async function emulateOperation(
  { wallet, operation }: EmulateRequest,
  { nodes, properties }: EstimateContext,
): Promise<Emulated> {
  if (wallet === undefined) {
    const detail = 'On Solana an operation is played as a transaction of an account: name a wallet.';
    throw adapterError('unsupported-operation', detail, { phase });
  }
  const { plan } = await planOperation(wallet.address, operation, phase);
  return nodes.onNode(phase, async (node) => {
    const simulated = await simulate(node, wallet.address, plan, phase);
    if (!simulated.ok) throw new AdapterError(problemOf(simulated.failure, plan.errors, phase));
    const units = plan.computeUnitLimit ?? withHeadroom(simulated.units);
    const price = plan.computeUnitPrice ?? (await choosePrice(node, wallet.address, plan, units, properties));
    return {
      result: simulated.returned,
      fee: feeOf(units, price, signersOf(plan, wallet.address).size),
      figures: {
        computeUnits: simulated.units,
        computeUnitPrice: price.toString(),
        logs: [...simulated.logs],
      },
    };
  });
}
