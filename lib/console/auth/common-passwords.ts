/**
 * Common passwords of at least eight characters in lower case: the top of the public frequency lists, keyboard walks,
 * and common words with common endings. The length rule covers shorter ones.
 */
const MIN_LENGTH = 8;

/** Common alone, and with each of the endings. */
const WORDS = `
1q2w3e4r 1qaz2wsx a1b2c3d4 abc123 abcd1234 abcdef access admin alexander amanda amazon america andrew android
angel angels anthony anything apple april arsenal asdfgh asdfghjkl ashley august austin autumn azerty babyboy
babygirl bailey banana barcelona baseball basketball batman beatles benjamin berlin bigdog blackcat blessed
blink182 boston brandon brasil broncos brooklyn budweiser bulldog business buster butterfly canada celtic
changeme charlie chatgpt cheese chelsea chicago china chocolate christian christopher cisco cocacola coffee
company computer cookie corona corvette cowboys crystal dakota dallas daniel database december default denver
diamond dollar dolphin dolphins dragon dublin eagles elizabeth embedding eminem england espana everything
facebook faith falcon family february ferrari flower football forever fortnite france freedom friday friends
gandalf garfield gateway gemini george germany ginger golden golfer goodbye google greenday guest guitar
hacker harley heaven heineken hello hellokitty hockey honda houston hunter iloveu iloveyou india instagram
internet iphone ireland isabella italia january japan jennifer jessica jesus jesuschrist jonathan jordan
joseph joshua july june justin juventus killer knight korea lakers legend letmein lightning linux lisbon
liverpool login london lovely loveme lucky madrid maggie manager manchester march marlboro master matrix
matthew maverick mercedes merlin metallica mexico michael michelle mickey microsoft minecraft minnie monday
money monkey monster moscow murphy music mustang mylove netflix network newyork nicholas nicole ninja nirvana
nobody nothing november october office openai opensesame operator oracle orange p@ssw0rd p@ssword pa55word
packers panther paris pass passw0rd password patrick pepper pepsi phoenix please pokemon porsche princess
purple q1w2e3r4 qazwsx qazwsxedc qwerty qwertyuiop raiders rainbow rangers realmadrid redbull redsox richard
robert rockstar rocky root router russia samantha samsung samurai saturday scotland secret security september
server service shadow silver slipknot snoopy soccer somebody something sorry sparky spartan speech spring
startrek starwars steelers steven summer sunday sunshine superman support sweetheart sydney system tennis test
testing thankyou thomas thunder thursday tigers tigger toor toyota trustno1 tuesday turkey twitter unicorn
user victoria vienna viking vodka warrior wednesday welcome whatever whiskey whitesox william windows winnie
winter wizard wolves word1 yamaha yankees yellow youtube zxcvbn zxcvbnm
`;
const ENDINGS = ["", "1", "12", "123", "1234", "12345", "2024"];

/** Common with a recent year. */
const SEASONS = `
april august autumn december fall february january july june march may november october september spring
summer winter
`;
const YEARS = ["2023", "2024", "2025", "2026"].flatMap((year) => [year, `${year}!`]);

const OTHERS = `
01234567 012345678 0123456789 0987654321 10203040 1020304050 102030405060 1111111a 11112222 111222333
111222tianya 11223344 1122334455 112233445566 121212121 123321123 12344321 1234512345 123454321 1234554321
123456654321 12345678 123456789 1234567890 123456789a 123456789q 12345678a 12345678q 1234567a 123456aa
123456abc 123456abcd 123456asd 123456qq 123456qwerty 12345qwert 1234abcd 1234qwer 123654789 123789456
123abc123 123qwerty 1314520520 1314521521 147258369 147852369 159357159 159753456 1a2b3c4d 1a2b3c4d5e
1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx3edc 1qazxsw2 2wsx3edc 321654987 3edc4rfv 456789123 5201314520 741852963
789456123 87654321 963852741 98765432 987654321 9876543210 a123123123 a1234567 a12345678 a123456789 a1b2c3d4e5
a5201314 aa123456 aa12345678 aaa11111 aaa123456 aaaabbbb aabbccdd abc12345 abc123456 abc123abc abcd12345
abcde123 abcdefg1 abcdefgh abcdefghi abcdefghij acmilan1 admin123456 admin2020 admin2021 admin2022 admin2023
admin2025 admin2026 admin888 admin@123 admin@1234 admin@12345 adminadmin adminadmin1 administrator
administrator1 administrator12 administrator123 aini1314 angeleyes angelica angelina angelito apassword
arsenalfc as123456 as1234567 asd12345 asd123456 asdf1234 asdfghjk asdfjkl; asshole1 asshole123 astonvilla
azertyui azertyuiop babycakes babydoll babyface bayernmunich biteme123 blackberry blueberry bullshit bullshit1
buttercup buttercup1 callofduty captain1 captainamerica celtic1888 celtic67 champion champion1 champions
changeit1 changeit123 changemenow charizard cheerleader cheerleading cheesecake chelseafc cherries chewbacca
chocolat chocolat1 cinnamon cinnamon1 contrasena contraseña cookies1 correcthorse counter1 counterstrike
cupcake1 daffodil dancer123 dancing1 dandelion darkangel darthvader deadpool1 dortmund dumbledore enterprise1
everton1 fallenangel finalfantasy fuckoff1 fuckthis fuckyou1 fuckyou123 fuckyou2 gamecube gingerbread
gryffindor guardian guestguest gymnastics halflife halflife2 harrypotter harrypotter1 haslo123 heslo1234
hogwarts1 ilovegod ilovehim ilovejesus iloveme1 iloveme123 ilovemom ilovemymom iloveyou! iloveyou2 iloveyou7
iloveyouu iluvyou1 ironman1 ironman123 jelszo123 l123456789 lavender leagueoflegends leedsunited letmein!
letmeinnow li123456 liuwei123 lkjhgfdsa lovelove1 loveyou1 loveyou123 loveyou2 lozinka1 manchesterunited
manunited mario123 marshmallow may12345 maythe4th mnbvcxz1 mot2passe motdepasse motherfucker mypassword
mypassword1 mysecret newcastle newcastle1 newpassword nihao123 nihaoma1 nintendo nintendo1 nintendo64
nopassword notsecret oldpassword p@55w0rd pa55w0rd pancakes parola123 pass123456 pass@123 pass@1234 pass@word1
passpass1 password! password# password. password? password@ passwordpassword passwords passwort1 passwort123
pikachu1 pikachu123 pineapple playstation playstation2 playstation3 poiuytrewq princesa princesa1 princesas
princess! pumpkin1 pumpkin123 pussycat q1234567 q123456789 q1w2e3r4t5 q1w2e3r4t5y6 qazwsxed qazwsxedcrfv
qq123456 qq123456789 qwe12345 qwe123456 qwe123qwe qweasd123 qweasdzxc qwerty!@# qwerty123456 qwertyui rainbows
raspberry roblox12 roblox123 rootadmin rootpass rootroot1 s123456789 salasana senha123 senha1234 skateboard
skywalker skywalker1 slytherin snowball snowboard snowboarding snowflake snowman1 soccer10 soccer11 softball
softball1 softball12 sonic123 spiderman spiderman1 spiderman123 starcraft starcraft1 strawberry strawberry1
sunderland sunflower sunflower1 superadmin superadmin1 supersecret superuser sweetie1 sweetness sweetpea
sweetpea1 swimming swimming1 sysadmin test123456 tester12 testpass testpassword testtest1 thepassword
topsecret tottenham tottenham1 trustnoone username username1 userpass userpassword volleyball volleyball1
w123456789 w3lcome1 wachtwoord wang1234 wang123456 warcraft warcraft1 watermelon welcome!1 welcome01
welcome@123 westham1 wo123456 woaini123 woaini1314 woaini520 woaini521 woaiwojia wolverine wolverine1
worldofwarcraft woshishui wrestling wrestling1 xsw23edc yourpassword z1234567 z123456789 zaq12wsx zaq1xsw2
zelda123 zhang123 zhangwei1 zxc12345 zxc123456 zz123456
`;

const listOf = (text: string): string[] => text.trim().split(/\s+/);
const withEndings = (text: string, endings: readonly string[]): string[] =>
  listOf(text).flatMap((word) => endings.map((ending) => word + ending));

const COMMON: ReadonlySet<string> = new Set(
  [...withEndings(WORDS, ENDINGS), ...withEndings(SEASONS, YEARS), ...listOf(OTHERS)].filter(
    (password) => password.length >= MIN_LENGTH,
  ),
);
/** The whole text is one group of up to four characters, repeated. */
const REPEATED = /^(.{1,4})\1+$/u;
const PRODUCT = /^patch[\s_-]?bay[^\p{L}]*$/u;

/** Number of passwords in the list. */
export const COMMON_PASSWORD_COUNT = COMMON.size;

/** True for a password that attackers try first; `plain` is trimmed and in lower case. */
export function isCommonPassword(plain: string): boolean {
  return COMMON.has(plain) || REPEATED.test(plain) || PRODUCT.test(plain);
}
