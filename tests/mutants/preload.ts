/** Loaded first (`node --import`): the process runs the mutant that this module's URL names. */
import { editsOf } from './mutant.ts';
import { mutantNamed } from './mutants.ts';
import { editOnLoad } from './on-load.ts';

editOnLoad(editsOf(mutantNamed(new URL(import.meta.url).searchParams.get('mutant') ?? '')));
