import type { DescribedTechnology } from '../technologies.ts';

/** Forms of compiled code: creation code in hexadecimal, a chaincode package, or text that only the plugin interprets. */
export type CodeForm = 'bytecode' | 'package' | 'text';

/** Returns the form of compiled code of a technology. */
export function codeForm(templates: NonNullable<DescribedTechnology['templates']>): CodeForm {
  if (templates.package === true) return 'package';
  return templates.code.format === 'hex' ? 'bytecode' : 'text';
}
