import { z } from 'zod';

/** What a schema says about one setting, in the words of the documents. */
export type SettingDescription = {
  readonly name: string;
  readonly description: string;
  readonly unit: string | null;
  /** The value where the variable is not set; `none` where there is none; null: it is required. */
  readonly fallback: string | null;
  /** The valid values, where the schema limits them to a range or a list. */
  readonly range: string | null;
  readonly isSecret: boolean;
  readonly example: string | null;
};

/** Throws when the schema of a setting has no description. */
export function describeSetting(name: string, field: z.core.$ZodType): SettingDescription {
  const { description, unit, secret, required, example } = z.globalRegistry.get(field) ?? {};
  if (description === undefined) throw new Error(`the setting ${name} has no description`);
  return {
    name,
    description,
    unit: typeof unit === 'string' ? unit : null,
    fallback: required === true ? null : fallbackOf(field),
    range: rangeOf(field),
    isSecret: secret === true,
    example: typeof example === 'string' ? example : null,
  };
}

function fallbackOf(field: z.core.$ZodType): string | null {
  if (field instanceof z.ZodDefault) return String(field.def.defaultValue) || 'none';
  if (field instanceof z.ZodOptional) return 'none';
  return field instanceof z.ZodPipe ? fallbackOf(field.def.in) : null;
}

function rangeOf(field: z.core.$ZodType): string | null {
  if (field instanceof z.ZodDefault || field instanceof z.ZodOptional) {
    return rangeOf(field.def.innerType);
  }
  if (field instanceof z.ZodPipe) return rangeOf(field.def.out) ?? rangeOf(field.def.in);
  if (field instanceof z.ZodEnum) return field.options.join(', ');
  if (field instanceof z.ZodBoolean) return 'true, false';
  if (field instanceof z.ZodNumber) return `${field.minValue} to ${field.maxValue}`;
  return null;
}
