import type { Simulation } from '../ledger/simulation.ts';
import type { Definition } from '../system/definitions.ts';

/** Key under which a chaincode's namespace stores the version it was initialized for, as on a peer. */
const initializedKey = '\u0000\u{1f31f}initialized';

/**
 * Enforces that chaincode defined with `initRequired` is called with `isInit` once per version, and only
 * then.
 * @returns a peer's message if a call violates this
 */
export function initialization(
  definition: Definition,
  isInit: boolean,
  simulation: Pick<Simulation, 'getState' | 'putState'>,
): string | undefined {
  const { name, version, initRequired } = definition;
  if (!initRequired) {
    return isInit ? `chaincode '${name}' does not require initialization but called as init` : undefined;
  }
  const stored = simulation.getState(name, initializedKey);
  const initialized = stored !== undefined && Buffer.from(stored).toString() === version;
  if (isInit && initialized) return `chaincode '${name}' is already initialized but called as init`;
  if (!isInit && !initialized)
    return `chaincode '${name}' has not been initialized for this version, must call as init first`;
  if (isInit) simulation.putState(name, initializedKey, Buffer.from(version));
  return undefined;
}
