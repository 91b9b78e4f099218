/** English sentences by meaning, written for the tests and benchmarks of the embedding engines. */
export interface Meaning {
  topic: string;
  text: string;
  /** A paraphrase. */
  paraphrase: string;
  /** Nearly the same words, but a negation or another meaning. */
  nearMiss?: string;
}

/** `[text, paraphrase, near miss?]` by topic. */
const BY_TOPIC: Readonly<Record<string, readonly (readonly [string, string, string?])[]>> = {
  support: [
    [
      "How do I reset my password?",
      "I forgot my login secret, how can I set a new one?",
      "How long must my password be?",
    ],
    [
      "My parcel has not arrived yet.",
      "I am still waiting for the package to be delivered.",
      "My parcel arrived today.",
    ],
    ["I want my money back.", "Please refund what I paid."],
    [
      "Please cancel my subscription.",
      "I would like to stop my membership.",
      "Please renew my subscription.",
    ],
    ["The app crashes when I open it.", "The program shuts down right after starting."],
    ["Where can I download the invoice?", "How do I get the bill for my order?"],
    ["Can I change the delivery address?", "Is it possible to ship the order somewhere else?"],
    ["The item was broken when it came.", "The product arrived damaged."],
    ["How do I contact a human agent?", "I would like to talk to a real person."],
  ],
  health: [
    ["The physician was late.", "The doctor did not arrive on time.", "The physician was early."],
    ["My head hurts.", "I have a headache.", "My headache is gone."],
    ["She broke her leg while skiing.", "She fractured a bone in a skiing accident."],
    ["The medicine made him sleepy.", "The drug caused drowsiness."],
    ["The child has a high fever.", "The kid's temperature is far above normal."],
    ["Smoking is bad for your lungs.", "Cigarettes damage the respiratory system."],
    ["He had a heart attack last year.", "A year ago he suffered cardiac arrest."],
  ],
  food: [
    ["The soup is too salty.", "There is too much salt in the broth.", "The soup needs more salt."],
    ["We had dinner at an Italian restaurant.", "In the evening we ate out at a place that serves pasta."],
    ["Bake the cake for forty minutes.", "Leave the dough in the oven for two thirds of an hour."],
    ["The coffee was cold.", "My espresso was not hot any more.", "The coffee was hot."],
    ["She does not eat meat.", "She is a vegetarian.", "She eats a lot of meat."],
    ["Wash the vegetables before cooking.", "Rinse the carrots and peppers before you prepare them."],
    ["The bakery sells fresh bread every morning.", "You can buy newly baked loaves there early each day."],
  ],
  travel: [
    [
      "The flight was delayed by two hours.",
      "Our plane took off much later than planned.",
      "The flight left on time.",
    ],
    ["Where is the nearest train station?", "How do I get to the closest railway stop?"],
    ["We stayed in a cheap hotel near the beach.", "Our inexpensive accommodation was close to the sea."],
    ["I lost my passport.", "My travel document is missing.", "I found my passport."],
    ["The road was closed because of snow.", "Winter weather blocked the highway."],
    ["Is breakfast included in the price of the room?", "Does the hotel rate cover a morning meal?"],
    ["He missed the last bus home.", "The final coach left before he reached the stop."],
  ],
  technology: [
    ["The server ran out of memory.", "There was no RAM left on the machine."],
    ["The laptop battery lasts ten hours.", "The notebook runs all day without charging."],
    [
      "Our website was down during the night.",
      "The site could not be reached after midnight.",
      "Our website was online all night.",
    ],
    ["The database query is very slow.", "It takes the SQL statement ages to finish."],
    ["The internet connection keeps dropping.", "I lose my network link again and again."],
    ["Hackers stole the customers' data.", "Private records of clients were taken in a cyber attack."],
    ["Back up your files every week.", "Make a copy of your documents regularly."],
    ["The printer is out of paper.", "There are no more sheets in the printing machine."],
  ],
  money: [
    [
      "The bank raised its interest rates.",
      "Loans have become more expensive.",
      "They walked along the bank of the river.",
    ],
    ["Share prices fell sharply.", "The stock market crashed.", "Share prices rose sharply."],
    ["She saved enough to buy a house.", "She has put aside the cost of a home."],
    [
      "Unemployment is at a record low.",
      "Fewer people than ever are out of work.",
      "Unemployment is at a record high.",
    ],
    ["The company went bankrupt.", "The firm became insolvent."],
    ["He earns more than his boss.", "His salary is higher than his manager's."],
    ["Taxes will go up next year.", "The government is going to increase what citizens pay."],
  ],
  nature: [
    ["Heavy rain flooded the streets.", "The roads were under water after the downpour."],
    ["The dog chased the cat up a tree.", "A puppy made a kitten climb to the branches."],
    ["Bees are dying in large numbers.", "There is a sharp decline of pollinating insects."],
    ["It will be sunny tomorrow.", "Clear skies are expected for the next day.", "It was sunny yesterday."],
    [
      "The volcano erupted after centuries of silence.",
      "Lava flowed from the mountain for the first time in hundreds of years.",
    ],
    ["Leaves turn red in autumn.", "In the fall, foliage changes its colour."],
    ["The river is polluted.", "The water of the stream is dirty.", "The river is clean."],
  ],
  culture: [
    ["I loved that movie.", "The film was a delight.", "The film was not a delight."],
    [
      "The concert was sold out.",
      "There were no tickets left for the show.",
      "There are many tickets left for the concert.",
    ],
    ["She plays the violin in an orchestra.", "She is a musician who performs on a string instrument."],
    ["The novel is about a lonely fisherman.", "It is the story of a solitary man who catches fish."],
    [
      "The museum is closed on Mondays.",
      "You cannot visit the gallery at the beginning of the week.",
      "The museum is open on Mondays.",
    ],
    ["Our team won the final.", "We are the champions.", "Our team lost the final."],
    ["The audience laughed at every joke.", "Everyone in the crowd found the comedian funny."],
  ],
  work: [
    ["The meeting was postponed to Friday.", "We will hold the discussion later this week instead."],
    [
      "She was promoted to manager.",
      "She got a higher position in the company.",
      "She was fired by the manager.",
    ],
    ["They are hiring new engineers.", "The company is looking for developers to employ."],
    ["He quit his job.", "He resigned.", "He got a job."],
    ["The deadline is too tight.", "We do not have enough time to finish."],
    ["I work from home twice a week.", "On two days I do not go to the office."],
    ["The contract must be signed by both parties.", "Each side has to put its signature on the agreement."],
  ],
};

export const MEANINGS: readonly Meaning[] = Object.entries(BY_TOPIC).flatMap(([topic, rows]) =>
  rows.map(([text, paraphrase, nearMiss]) => ({
    topic,
    text,
    paraphrase,
    ...(nearMiss ? { nearMiss } : {}),
  })),
);

/** Pairs graded by similarity of meaning, on the scale of the STS benchmark: 5 the same, 0 nothing in common. */
export const GRADED: readonly (readonly [number, string, string])[] = [
  [5, "A man is playing a guitar.", "Someone plays the guitar."],
  [5, "The children are asleep.", "The kids are sleeping."],
  [5, "He bought a new car last week.", "Last week he purchased a new automobile."],
  [5, "It is forbidden to smoke here.", "Smoking is not allowed in this place."],
  [5, "The train leaves at noon.", "The train departs at twelve o'clock."],
  [4, "A woman is slicing an onion.", "A woman is cutting vegetables."],
  [4, "The president gave a speech in Berlin.", "The head of state spoke in the German capital yesterday."],
  [4, "Two dogs are running on the beach.", "Two dogs run along the sea with a ball."],
  [4, "The shop opens at nine.", "The store is open from nine to six."],
  [4, "Prices of oil rose on Monday.", "Crude oil became slightly more expensive at the start of the week."],
  [3, "A man is riding a horse.", "A man is riding a bicycle."],
  [3, "The flight to Paris was cancelled.", "The flight to Paris was delayed."],
  [3, "She is reading a newspaper in the garden.", "She is reading a letter in the kitchen."],
  [3, "The film won three prizes.", "The film was nominated for three prizes."],
  [3, "He teaches mathematics at a school.", "He studies mathematics at a university."],
  [2, "A boy is kicking a football.", "A girl is watching a football match."],
  [2, "The cat is sitting on the sofa.", "The dog is lying under the table."],
  [2, "The company opened an office in Madrid.", "The company sold its factory in Lyon."],
  [2, "Boil the potatoes for twenty minutes.", "Fry the onions in a little oil."],
  [2, "The bridge was damaged by the storm.", "The storm is moving towards the coast."],
  [1, "A woman is driving a car.", "A mechanic is repairing a truck."],
  [1, "The students passed the exam.", "The school has a new roof."],
  [1, "They visited a museum in Rome.", "They cooked pasta for their guests."],
  [1, "The lake is frozen in winter.", "He likes to swim in the sea."],
  [1, "The doctor prescribed antibiotics.", "The hospital is looking for nurses."],
  [0, "The guitar has six strings.", "Parliament passed the new rent law."],
  [0, "She painted the fence green.", "The database needs an index on this column."],
  [0, "Penguins cannot fly.", "The invoice is due in thirty days."],
  [0, "My brother lives in Canada.", "Add the sugar and beat the eggs."],
  [0, "The match ended in a draw.", "Quartz is harder than glass."],
];
