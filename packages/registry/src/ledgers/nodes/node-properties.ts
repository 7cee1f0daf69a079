import { invalidRequest } from '@ledger-ops/base';
import type { DescribedTechnology } from '../../technologies.ts';
import { type PropertyForm, propertyForm } from '../properties/property-form.ts';

/** @throws Problem `invalid-request` at the pointer if the ledger's plugin would not use the node */
export function refuseUnusedNode({ isRemote }: Pick<DescribedTechnology, 'isRemote'>, pointer: string): void {
  if (isRemote !== true) return;
  const detail =
    'is not used: the plugin of this ledger is remote and connects to its nodes itself. Configure the node there';
  throw invalidRequest([{ pointer, detail }]);
}

/** Returns the properties that a node may have, on a ledger of the technology. */
export function nodeForm(
  technology: string,
  { nodeProperties }: Pick<DescribedTechnology, 'nodeProperties'>,
): PropertyForm {
  const none = { type: 'object', properties: {}, additionalProperties: false };
  return propertyForm(nodeProperties ?? none, `a node of technology ${technology}`);
}
