import { expect, test } from 'vitest';
import { certificateOf, pointIn } from '../../test/certificate-of.ts';
import { defaultTiming } from '../timing.ts';
import type { CaClient } from './ca-client.ts';
import { Enrollment } from './enrollment.ts';

const ca = {
  url: new URL('https://ca.example'),
  name: undefined,
  rootCertificate: undefined,
  registrar: { id: 'registrar', secret: 'a secret' },
  attributes: [],
  affiliations: [],
};

/** Returns a CA that allows `most` enrollments per identity, and the registrations that it received. */
async function caWith(most: number) {
  const certificate = await certificateOf('ann');
  const registered: { max_enrollments: number; secret: string }[] = [];
  const client: CaClient = {
    close: async () => undefined,
    async post({ path, body }, refusal) {
      if (path === '/api/v1/register') {
        const given: { max_enrollments: number; secret: string } = JSON.parse(body);
        registered.push(given);
        if (given.max_enrollments > most) throw refusal({ status: 400, code: 82, message: 'too many' });
      }
      return { Cert: Buffer.from(certificate).toString('base64') };
    },
  };
  const identity = { id: 'ann', publicKey: pointIn(certificate), attributes: {}, affiliation: undefined };
  return { enrollment: new Enrollment(client, ca, defaultTiming.registrarRenewal), identity, registered };
}

test('registers an identity with one enrollment if the CA allows only one', async () => {
  const { enrollment, identity, registered } = await caWith(1);
  await enrollment.registerAndEnroll(identity, 'request');
  expect(registered.map(({ max_enrollments }) => max_enrollments)).toEqual([3, 1]);
});

test('reports that a CA allows no enrollments', async () => {
  const { enrollment, identity } = await caWith(0);
  await expect(enrollment.registerAndEnroll(identity, 'request')).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringContaining('too many'),
  });
});

test('an enrollment secret depends on all values of the identity and on the registrar', async () => {
  const { enrollment, identity, registered } = await caWith(3);
  const others = [
    identity,
    { ...identity, id: 'bob' },
    { ...identity, publicKey: pointIn(await certificateOf('ann')) },
    { ...identity, attributes: { level: '3' } },
    { ...identity, affiliation: 'org1' },
  ];
  for (const one of others) await enrollment.registerAndEnroll(one, 'request');
  await enrollment.registerAndEnroll(identity, 'another request');
  const secrets = registered.map(({ secret }) => secret);
  expect(new Set(secrets).size).toBe(others.length);
  expect(secrets.at(-1)).toBe(secrets[0]);
});
