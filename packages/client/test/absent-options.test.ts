// A program in JavaScript, or one without `exactOptionalPropertyTypes`, passes `undefined` for an option that it does not set.
import { expect, test } from 'vitest';
import { NoAnswerError } from '../src/index.ts';
import { json, openFake, problem } from './fake-service.ts';

const absent = undefined as never;
const lost = () => {
  throw new TypeError('fetch failed');
};
const stream = () =>
  new Response('event: event\nid: p1\ndata: {"type":"action.failed","data":{}}\n\n', {
    headers: { 'Content-Type': 'text/event-stream' },
  });

test('an undefined list in an event filter has the same effect as an absent list', async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [stream];
  const events = ledger.events({ types: absent, ledgers: ['l1'], wallets: absent }, { after: absent });
  expect(await events.next()).toMatchObject({ value: { place: 'p1' } });
  await events.return();
  expect(asked().map(({ path }) => path)).toEqual(['/v1/events?ledgers=l1']);
  expect(asked()[0]?.headers.has('last-event-id')).toBe(false);
});

test('an empty list in an event filter is sent, so that the service refuses it and no event is missed silently', async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [() => problem(400, 'invalid-request')];
  await expect(ledger.events({ types: [] }).next()).rejects.toMatchObject({
    name: 'ProblemError',
    status: 400,
  });
  expect(asked().map(({ path }) => path)).toEqual(['/v1/events?types=']);
});

test('an undefined member of timing has its default', async () => {
  const { service, ledger, asked } = openFake(undefined, {
    tries: absent,
    answer: absent,
    retryAfter: absent,
  });
  service.answers = [lost];
  await expect(ledger.http.GET('/v1/technologies')).rejects.toMatchObject({
    name: 'NoAnswerError',
    tries: 5,
  });
  expect(asked()).toHaveLength(5);
  await expect(ledger.http.GET('/v1/technologies')).rejects.toBeInstanceOf(NoAnswerError);
});

test('an undefined query parameter of a list does not change the size of its pages', async () => {
  const { service, ledger, asked } = openFake();
  service.answers = [() => json({ pageContent: [], pageNumber: 0, totalPages: 1 })];
  for await (const _ of ledger.each('/v1/cloud-wallet/wallets', { query: { size: absent } }))
    throw new Error('It has no items.');
  expect(asked()[0]?.path).toBe('/v1/cloud-wallet/wallets?size=100');
});

test('undefined credentials have the same effect as absent credentials', async () => {
  const { service, ledger, asked } = openFake({
    ...{ accessToken: absent, privateKey: absent, refreshToken: absent, code: absent },
    ...{ clientId: 'app', serviceAccount: 'account', apiToken: 'sak_secret' },
  });
  service.answers = [() => json({ technologies: [] })];
  await ledger.http.GET('/v1/technologies');
  expect(asked()[0]?.headers.get('authorization')).toBe('Bearer token-1');
});

test.each([null, Number.NaN, '5', -1, 2 ** 31, Number.POSITIVE_INFINITY])(
  'the timing option tries = %s is refused',
  (tries) => {
    expect(() => openFake(undefined, { tries: tries as never })).toThrow(
      'timing.tries must be a number from 0 to 2147483647.',
    );
    expect(() => openFake(undefined, { look: [5, tries as never] })).toThrow('timing.look');
  },
);
