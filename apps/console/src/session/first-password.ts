import { ApiProblem } from '../api/client.ts';

/**
 * Sets the first password and logs in with it, so that the following sign-in does not prompt.
 *
 * @throws ApiProblem
 */
export async function setFirstPassword(given: {
  initToken: string;
  name: string;
  password: string;
}): Promise<void> {
  const { initToken, name, password } = given;
  const { email } = await post('/v1/auth/init-user', {
    acceptTnC: true,
    additional: { name, password },
    initToken,
  });
  await post('/v1/auth/login', { username: email, password });
}

async function post(path: string, body: unknown): Promise<{ email: string }> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new ApiProblem(await response.json());
  return await response.json();
}
