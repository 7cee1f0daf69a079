import { AdapterError, adapterError, type Emulated, type EmulateRequest } from '@ledger-ops/adapter';
import { planOperation } from './check.ts';
import { type EstimateContext, withHeadroom } from './estimate.ts';
import { choosePrice } from './fees/compute-unit-price.ts';
import { feeOf, signersOf } from './plan.ts';
import { problemOf } from './rpc/errors.ts';
import { simulate } from './rpc/simulate.ts';
import { withTokenProgram } from './tokens/other-token-program.ts';
import { transferFeeWarnings } from './tokens/transfer-fee.ts';

const phase = 'emulate';

/**
 * Simulates an operation on the newest confirmed block without changing anything.
 * @throws AdapterError `reverted` with the program's logs, `insufficient-funds`, and those of `check`
 */
export async function emulateOperation(
  { wallet, operation }: EmulateRequest,
  context: EstimateContext,
): Promise<Emulated> {
  if (wallet === undefined) {
    const detail = 'Solana emulates an operation as a transaction of an account. Name a wallet.';
    throw adapterError('unsupported-operation', detail, { phase });
  }
  const { plan } = await planOperation(wallet.address, operation, phase);
  return context.nodes.onNode(phase, async (node) => {
    const simulated = await simulate(node, wallet.address, plan, phase);
    if (!simulated.ok) {
      const problem = problemOf(simulated.failure, plan.errors, phase);
      throw new AdapterError(await withTokenProgram(node, plan, problem));
    }
    const units = plan.computeUnitLimit ?? withHeadroom(simulated.units);
    const price = await choosePrice(node, { wallet: wallet.address, plan, units }, context, phase);
    const warnings = [...context.fees.warnings, ...(await transferFeeWarnings(node, plan))];
    return {
      result: simulated.returned,
      fee: feeOf(units, price, signersOf(plan, wallet.address).size),
      figures: {
        computeUnits: simulated.units,
        computeUnitPrice: price.toString(),
        logs: [...simulated.logs],
      },
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  });
}
