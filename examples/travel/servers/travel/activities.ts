// Things to do, by city and category.

type Activities = Readonly<Record<string, readonly string[]>>;

/** By name of the city. */
export const activities: ReadonlyMap<string, Activities> = new Map(
  Object.entries<Activities>({
    'New York': {
      museums: ['The Met', 'Museum of Modern Art'],
      food: ['Chelsea Market'],
      architecture: ['Chrysler Building'],
    },
    Barcelona: {
      museums: ['Museu Picasso', 'Fundació Joan Miró', "Museu Nacional d'Art de Catalunya"],
      beaches: ['Barceloneta', 'Bogatell'],
      architecture: ['Sagrada Família', 'Casa Batlló', 'Park Güell'],
      food: ['Mercat de la Boqueria', 'Tapas in El Born'],
    },
    Barbados: { beaches: ['Crane Beach', 'Carlisle Bay'], food: ['Oistins Fish Fry'] },
    Paris: {
      museums: ['Louvre', 'Musée d’Orsay'],
      architecture: ['Notre-Dame', 'Eiffel Tower'],
      food: ['Marché d’Aligre'],
    },
    'Park City': { outdoors: ['Deer Valley', 'Guardsman Pass'], museums: ['Park City Museum'] },
    London: { museums: ['British Museum', 'Tate Modern'], food: ['Borough Market'] },
    Madrid: { museums: ['Museo del Prado', 'Reina Sofía'], food: ['Mercado de San Miguel'] },
    Rome: { architecture: ['Colosseum', 'Pantheon'], museums: ['Galleria Borghese'] },
    Lisbon: { beaches: ['Cascais'], architecture: ['Jerónimos Monastery'], food: ['Pastéis de Belém'] },
    Tokyo: { museums: ['Tokyo National Museum'], food: ['Tsukiji Outer Market'] },
    'San Francisco': { museums: ['SFMOMA', 'Exploratorium'], outdoors: ['Lands End'] },
    'Mexico City': { museums: ['Museo Frida Kahlo', 'Museo Nacional de Antropología'], food: ['Mercado Roma'] },
  }),
);

/** All categories, or those of a city. */
export function categoriesOf(city?: string): string[] {
  const found = city === undefined ? [...activities.values()] : [activities.get(city) ?? {}];
  return [...new Set(found.flatMap((one) => Object.keys(one)))].sort();
}
