import { isJson, type Json } from '../openapi/portable.ts';
import { html } from '../present/html.ts';
import { prose } from './prose.ts';

/** All named schemas, and the names of those that are being expanded, because a schema may contain itself. */
interface Shown {
  readonly schemas: Json;
  readonly around: readonly string[];
}

/** Renders the members of a schema as a list, with deeper levels collapsed; empty if it has none. */
export function schemaView(schema: Json, schemas: Json): string {
  return contentView(schema, { schemas, around: [] });
}

/** Describes a type: `text`, `list of numbers`, `object`. */
export function typeText(schema: Json, schemas: Json): string {
  return wordsOf(schema, { schemas, around: [] });
}

/** Constraints of a value, each as a phrase in HTML. */
export function boundsOf(schema: Json): string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, pattern } = schema;
  const written = (value: unknown) => code(typeof value === 'string' ? value : JSON.stringify(value));
  const range = (least: unknown, most: unknown, unit: string) => {
    const low = least === 0 ? undefined : least;
    if (low === undefined && most === undefined) return [];
    if (most === undefined) return [`at least ${low}${unit}`];
    return [low === undefined ? `at most ${most}${unit}` : `${low} to ${most}${unit}`];
  };
  const values = Array.isArray(schema.enum) && schema.enum.length > 1 ? schema.enum : [];
  return [
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' items'),
    ...range(minimum, maximum, ''),
    ...(values.length === 0 ? [] : [`one of ${values.map(written).join(', ')}`]),
    ...(typeof pattern === 'string' ? [`pattern ${code(pattern)}`] : []),
    ...('default' in schema ? [`default ${written(schema.default)}`] : []),
    ...('example' in schema ? [`for example ${written(schema.example)}`] : []),
  ];
}

const code = (text: string) => `<code>${html(text)}</code>`;

/** Resolves a reference and marks its schema as expanded. */
function resolve(schema: Json, shown: Shown): { schema: Json; name: string | undefined; shown: Shown } {
  if (typeof schema.$ref !== 'string') return { schema, name: undefined, shown };
  const name = schema.$ref.split('/').at(-1) ?? '';
  const target = shown.schemas[name];
  return {
    schema: isJson(target) ? target : {},
    name,
    shown: { ...shown, around: [...shown.around, name] },
  };
}

function contentView(given: Json, shown: Shown): string {
  const { schema, name, shown: inside } = resolve(given, shown);
  if (name !== undefined && shown.around.includes(name))
    return `<p>Same members as <code>${html(name)}</code> above.</p>`;
  const { properties, items, anyOf, additionalProperties, required } = schema;
  if (isJson(items)) return contentView(items, inside);
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const rows = Object.entries(isJson(properties) ? properties : {})
    .toSorted(([a], [b]) => Number(needed.includes(b)) - Number(needed.includes(a)))
    .map(([member, part]) => memberView(member, isJson(part) ? part : {}, needed.includes(member), inside));
  const values = isJson(additionalProperties) ? contentView(additionalProperties, inside) : '';
  const others = values === '' ? '' : memberOf('any other name', typeText({}, inside.schemas), false, values);
  const list = rows.length === 0 && others === '' ? '' : `<ul class="members">${rows.join('')}${others}</ul>`;
  const forms = Array.isArray(anyOf) ? anyOf.filter(isJson) : [];
  return list + formsView(forms, inside);
}

/** Renders alternatives; the type text covers those without members. */
function formsView(forms: readonly Json[], shown: Shown): string {
  const views = forms.flatMap((form) => {
    const view = contentView(form, shown);
    const { schema, name } = resolve(form, shown);
    const told = typeof schema.description === 'string' ? ` · ${prose(schema.description)}` : '';
    const title = typeof schema.title === 'string' ? schema.title : (name ?? wordsOf(form, shown));
    return view === '' ? [] : [folded(`${html(title)}${told}`, view)];
  });
  return views.join('');
}

function memberView(name: string, given: Json, required: boolean, shown: Shown): string {
  const { schema } = resolve(given, shown);
  const told = typeof schema.description === 'string' ? `<p>${prose(schema.description)}</p>` : '';
  const bounds = boundsOf({ ...schema, ...given });
  const inside = contentView(given, shown);
  const view = `${told}${bounds.length === 0 ? '' : `<p class="bounds">${bounds.join(' · ')}</p>`}${
    inside === '' ? '' : folded(`Inside <code>${html(name)}</code>`, inside)
  }`;
  return memberOf(`<code>${html(name)}</code>`, wordsOf(given, shown), required, view);
}

function memberOf(name: string, type: string, required: boolean, view: string): string {
  return `<li><div>${name} <span class="type">${html(type)}</span>${required ? ' <span class="required">required</span>' : ''}</div>${view}</li>`;
}

const folded = (title: string, content: string) => `<details><summary>${title}</summary>${content}</details>`;

function wordsOf(given: Json, shown: Shown): string {
  const { schema, name, shown: inside } = resolve(given, shown);
  if (name !== undefined && shown.around.includes(name)) return name;
  return typeWords(schema, (part) => wordsOf(part, inside));
}

/** Describes the type of a schema that is not a reference; `words` describes the types of its parts. */
function typeWords({ anyOf, type, items, format, ...schema }: Json, words: (part: Json) => string): string {
  if (Array.isArray(anyOf)) return [...new Set(anyOf.filter(isJson).map(words))].join(' or ');
  if (Array.isArray(schema.enum) && schema.enum.length === 1) return JSON.stringify(schema.enum[0]);
  const wordOf = (name: string) => {
    if (name === 'string') return typeof format === 'string' ? `text (${format})` : 'text';
    if (name === 'array') return isJson(items) ? `list of ${words(items)}` : 'list';
    return { integer: 'whole number', boolean: 'true or false' }[name] ?? name;
  };
  return [type ?? 'anything']
    .flat()
    .map((one) => wordOf(String(one)))
    .join(' or ');
}
