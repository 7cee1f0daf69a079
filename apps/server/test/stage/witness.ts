import type { Validation } from './document-validation.ts';
import { type Operation, operationsOf } from './document-walk.ts';
import type { Heard } from './heard.ts';

/** Knows which responses the document describes. */
export interface Witness {
  faultsOf(heard: Heard, body: string): string[];
}
let witness: Promise<Witness> | undefined;

/** Created for the first response, because most test files send no requests. */
export function openWitness(): Promise<Witness> {
  witness ??= createWitness();
  return witness;
}

async function createWitness(): Promise<Witness> {
  const [{ documentOf }, { createValidation }] = await Promise.all([
    import('./document-of-routes.ts'),
    import('./document-validation.ts'),
  ]);
  const document = await documentOf();
  const validation = createValidation(document, true);
  const patterns = operationsOf(document).map(({ name, operation }) => {
    const [method = '', path = ''] = name.split(' ');
    const parts = path
      .split('/')
      .map((part) => (part.startsWith('{') ? '[^/]+' : part.replaceAll('.', '\\.')));
    return {
      name,
      method,
      operation,
      fixed: path.replaceAll(/\{\w+\}/g, '').length,
      form: new RegExp(`^${parts.join('/')}$`),
    };
  });
  // Fixed segments take precedence over parameters.
  patterns.sort((a, b) => segments(a.name) - segments(b.name) || b.fixed - a.fixed);
  return {
    faultsOf(one, body) {
      const method = one.method.toUpperCase() === 'HEAD' ? 'GET' : one.method.toUpperCase();
      const found = patterns.find((pattern) => pattern.method === method && pattern.form.test(one.path));
      if (found === undefined) return [];
      return faultsOf(found.name, found.operation, one, body, validation);
    },
  };
}

function segments(name: string): number {
  return name.split('{').length;
}

function faultsOf(
  name: string,
  operation: Operation,
  one: Heard,
  body: string,
  validation: Validation,
): string[] {
  const described = operation.responses[one.status];
  if (described === undefined) return [`${name} answers ${one.status}: ${body.slice(0, 200)}`];
  if (one.method === 'HEAD' || one.type === '') return [];
  const media = described.content?.[one.type];
  if (media === undefined) return [`${name} ${one.status} is ${one.type}`];
  if (body === '') return [];
  return validation
    .faultsOf(media.schema, JSON.parse(body))
    .map((fault) => `${name} ${one.status}: ${fault}`);
}
