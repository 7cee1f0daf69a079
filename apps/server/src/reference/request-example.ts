import type { Operation } from './operations.ts';

/**
 * Returns a curl command for the request. The shell function `api` is defined in the guide. It keeps tokens
 * out of process arguments, which other users of the machine can see. The body is sent through standard
 * input.
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
