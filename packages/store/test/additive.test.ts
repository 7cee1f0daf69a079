import { expect, it } from 'vitest';
import { notAdditive } from '../scripts/not-additive.ts';
import { readMigrations } from '../src/migrations.ts';

const after = (...statements: string[]) =>
  notAdditive([
    { number: 0, statements: ['DROP TABLE old;'] },
    { number: 1, statements },
  ]);

it.each(['sqlite', 'postgres'] as const)(
  'a server of the previous version keeps working after each migration of %s',
  async (dialect) => {
    expect(notAdditive(await readMigrations(dialect))).toEqual([]);
  },
);

it.each([
  'CREATE TABLE "note" (\n\t"id" text PRIMARY KEY NOT NULL,\n\t"text" text NOT NULL\n);',
  'CREATE INDEX "action_tag" ON "action" ("tag") WHERE tag is not null;',
  'ALTER TABLE "action" ADD COLUMN "note" text collate "C";',
  'ALTER TABLE `action` ADD `urgent` integer DEFAULT false NOT NULL;',
])('accepts the additive statement %s', (statement) => {
  expect(after(statement)).toEqual([]);
});

it('accepts a unique index only on a new table', () => {
  const index = 'CREATE UNIQUE INDEX "note_text" ON "note" ("text");';
  expect(after('CREATE TABLE "note" ("id" text);', index)).toEqual([]);
  expect(after(index)).toEqual([index]);
});

it.each([
  'DROP TABLE "action";',
  'DROP INDEX "action_lane";',
  'ALTER TABLE "action" DROP COLUMN "tag";',
  'ALTER TABLE "action" RENAME COLUMN "tag" TO "label";',
  'ALTER TABLE "action" ADD COLUMN "note" text NOT NULL;',
  'ALTER TABLE "action" ADD COLUMN "note" text UNIQUE;',
  'ALTER TABLE "action" ALTER COLUMN "tag" SET NOT NULL;',
  'ALTER TABLE "action" ADD CONSTRAINT "a" CHECK (n > 0);',
  'UPDATE "action" SET tag = 1;',
  'CREATE TRIGGER t AFTER INSERT ON "action" BEGIN SELECT 1; END;',
  'CREATE INDEX "a" ON "action" ("tag"); DROP TABLE "action";',
])('reports the statement %s as not additive', (statement) => {
  expect(after(statement)).toEqual([statement]);
});
