import { expect, test } from 'vitest';
import { nothingSent, sendingFaults, sendingOf } from './sending.ts';

const id = '0190a7c2-7d3b-7cc4-8f3b-0c2b6a3b7f10';
const now = Date.parse('2026-11-20T12:00:00Z');

test('omits empty optional fields of an operation from the request', () => {
  expect(sendingOf(nothingSent)).toEqual({});
  expect(sendingFaults(nothingSent, now)).toEqual({});
});

test('splits ids at spaces, commas and line breaks, and reads the deadline as local time', () => {
  const texts = { tag: 'rent', intent: id, deadline: '2026-11-21T08:30', dependencies: ` ${id},\n${id} ` };
  expect(sendingOf(texts)).toEqual({
    ...{ tag: 'rent', intent: id, dependencies: [id, id] },
    deadline: new Date(2026, 10, 21, 8, 30).toISOString(),
  });
  expect(sendingFaults(texts, now)).toEqual({});
});

test('reports each invalid optional field of an operation', () => {
  const texts = { tag: '', intent: 'mine', deadline: '2026-11-01T00:00', dependencies: `${id} till` };
  expect(sendingFaults(texts, now)).toEqual({
    intent: 'must be a UUID',
    deadline: 'must be in the future',
    dependencies: 'till is not an action id',
  });
});
