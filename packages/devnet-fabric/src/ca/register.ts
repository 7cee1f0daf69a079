import { randomBytes } from 'node:crypto';
import type { CaBody } from './bodies.ts';
import { CaError, notAuthorized } from './error.ts';
import type { CaAttribute, CaIdentity } from './identities.ts';
import { mayRegister } from './rights.ts';
import { hashSecret } from './secret.ts';
import type { CaState } from './state.ts';

/**
 * Registers an identity, which may then enroll.
 * @returns the secret: the given one, or a new one
 * @throws CaError with status and code 400 `badBody` or `maxEnrollments`, 403 `authorization`, or 409
 * `alreadyRegistered`
 */
export async function register(
  state: CaState,
  registrar: CaIdentity,
  body: CaBody,
): Promise<{ secret: string }> {
  const id = body.text('id');
  if (id === '') throw new CaError(400, 'badBody', 'Invalid request body: "id" is missing');
  const type = body.text('type') || registrar.type;
  const asked = body.text('affiliation');
  const affiliation = asked === '' ? registrar.affiliation : asked === '.' ? '' : asked;
  const attributes: CaAttribute[] = (body.list('attrs') ?? []).map((one) => ({
    ...{ name: one.text('name'), value: one.text('value'), ecert: one.flag('ecert') },
  }));
  const known = affiliation === '' || state.affiliations.includes(affiliation);
  if (!known || !mayRegister(registrar, { id, type, affiliation, attributes })) throw notAuthorized();
  const wanted = body.number('max_enrollments');
  if (wanted < -1)
    throw new CaError(
      400,
      'maxEnrollments',
      `Max enrollment in registration request may not be less than -1, but was ${wanted}`,
    );
  const secret = body.text('secret') || randomBytes(9).toString('base64url');
  const added = state.identities.add({
    ...{ id, type, affiliation, secret: await hashSecret(secret) },
    attributes: [...attributes, ...ownAttributes(id, type, affiliation)],
    maxEnrollments: wanted === 0 ? -1 : wanted,
  });
  if (!added) throw new CaError(409, 'alreadyRegistered', `Identity '${id}' is already registered`);
  return { secret };
}

/** Attributes that every registered identity has in its certificates. */
function ownAttributes(id: string, type: string, affiliation: string): CaAttribute[] {
  return [
    { name: 'hf.EnrollmentID', value: id, ecert: true },
    { name: 'hf.Type', value: type, ecert: true },
    { name: 'hf.Affiliation', value: affiliation, ecert: true },
  ];
}
