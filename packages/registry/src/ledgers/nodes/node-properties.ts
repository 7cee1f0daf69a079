import type { DescribedTechnology } from '../../technologies.ts';
import { type PropertyForm, propertyForm } from '../properties/property-form.ts';

/** The properties that a node may have, on a ledger of the technology. */
export function nodeForm(
  technology: string,
  { nodeProperties }: Pick<DescribedTechnology, 'nodeProperties'>,
): PropertyForm {
  const none = { type: 'object', properties: {}, additionalProperties: false };
  return propertyForm(nodeProperties ?? none, `a node of technology ${technology}`);
}
