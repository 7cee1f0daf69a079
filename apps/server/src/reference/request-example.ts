import type { Operation } from './operations.ts';

/**
 * The request for a shell. `api` is that of the guide: it keeps the tokens out of the arguments that others on the machine
 * see, as standard input does the body.
 */
export function requestExample({ method, path, parameters, body, needs }: Operation): string {
  const asked = parameters
    .filter(({ place, required }) => place === 'query' && required)
    .map(({ name }) => `${name}=…`);
  const query = asked.length === 0 ? '' : `?${asked.join('&')}`;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${shellName(name)}`);
  const isJson = body?.type === 'application/json';
  const words = [
    needs.application ? 'api' : 'curl -s',
    ...(method === 'GET' || (method === 'POST' && body !== undefined) ? [] : [`-X ${method}`]),
    `"$BASE${filled}${query}"`,
    ...(isJson && !needs.application ? [`-H 'Content-Type: application/json'`] : []),
  ].join(' ');
  if (body === undefined) return words;
  return `${words} -d @- <<'EOF'\n${isJson ? JSON.stringify(body.example, undefined, 2) : formText(body.example)}\nEOF`;
}

const shellName = (name: string) => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();

const formText = (example: unknown) =>
  Object.entries(Object(example))
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
